// How a live page asks Python: over this machine's network, or in a notebook through the frame around it.

const PATIENCE = 120000; // milliseconds; a kernel may be at work on another cell

export function pythonOf({ address, token }) {
  if (address) {
    const headers = { "Content-Type": "application/json", "X-Linsep-Token": token };
    return async (asked) => (await fetch(address, { method: "POST", headers, body: JSON.stringify(asked) })).json();
  }
  const waiting = new Map();
  addEventListener("message", ({ source, data }) => {
    if (source !== window.parent || !waiting.has(data?.id)) return;
    waiting.get(data.id)(JSON.parse(data.answer));
    waiting.delete(data.id);
  });
  return (asked) => new Promise((done, fail) => {
    const id = Math.random(); // the same page may be shown twice
    waiting.set(id, done);
    window.parent.postMessage({ id, asked }, "*"); // whoever shows this page made it, and its data
    setTimeout(() => { if (waiting.delete(id)) fail(new TypeError("no answer")); }, PATIENCE);
  });
}
