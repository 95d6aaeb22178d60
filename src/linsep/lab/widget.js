// The lab in a notebook: the page in a frame of its own, and what it asks of Python passed on to the kernel.
function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.title = "linsep lab";
  frame.setAttribute("sandbox", "allow-scripts allow-downloads"); // no access to the notebook's page or its cookies
  frame.style.cssText = `width:100%;height:${model.get("height")}px;border:0;border-radius:8px`;
  frame.srcdoc = model.get("page");
  const fromPage = (event) => {
    if (event.source === frame.contentWindow && event.data && event.data.asked) model.send({ id: event.data.id, asked: event.data.asked });
  };
  const toPage = (found) => frame.contentWindow?.postMessage(found, "*");
  window.addEventListener("message", fromPage);
  model.on("msg:custom", toPage);
  el.append(frame);
  return () => {
    window.removeEventListener("message", fromPage);
    model.off("msg:custom", toPage);
  };
}

export default { render };
