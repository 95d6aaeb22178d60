// Animated GIF: a palette of the colours that occur most, LZW, and of every frame only the rectangle that changed.

const MOST_COLOURS = 255, FINE = 3; // bits of each channel that are dropped

class Bytes {
  constructor() { this.parts = []; }
  add(...values) { this.parts.push(Uint8Array.from(values)); }
  short(...values) { for (const v of values) this.add(v & 255, v >> 8); }
  words(said) { this.add(...Array.from(said, (letter) => letter.charCodeAt(0))); }
}

// The colours of the frames: those that occur most, and for every other the nearest of them.
function makePalette(frames) {
  const counts = new Map();
  for (const { data } of frames) {
    for (let i = 0; i < data.length; i += 4) {
      const key = ((data[i] >> FINE) << 16) | ((data[i + 1] >> FINE) << 8) | (data[i + 2] >> FINE), found = counts.get(key);
      if (found) found[0]++; else counts.set(key, [1, data[i], data[i + 1], data[i + 2]]);
    }
  }
  const colours = [...counts.values()].sort((a, b) => b[0] - a[0]).slice(0, MOST_COLOURS).map(([, ...rgb]) => rgb), nearest = new Map();
  return { colours, find(r, g, b) {
    const key = ((r >> FINE) << 16) | ((g >> FINE) << 8) | (b >> FINE);
    let best = nearest.get(key);
    if (best === undefined) {
      let least = Infinity;
      colours.forEach((c, k) => { const far = (c[0] - r) ** 2 + (c[1] - g) ** 2 + (c[2] - b) ** 2; if (far < least) { least = far; best = k; } });
      nearest.set(key, best);
    }
    return best;
  } };
}

// LZW of numbers below 256, in blocks of up to 255 bytes.
export function lzw(pixels) {
  const clear = 256, out = [];
  let table = new Map(), next = 258, width = 9, held = 0, bits = 0;
  const write = (code) => { held |= code << bits; bits += width; while (bits >= 8) { out.push(held & 255); held >>>= 8; bits -= 8; } };
  write(clear);
  let prefix = pixels[0];
  for (let i = 1; i < pixels.length; i++) {
    const key = (prefix << 8) | pixels[i], code = table.get(key);
    if (code !== undefined) { prefix = code; continue; }
    write(prefix);
    if (next < 4096) { table.set(key, next++); if (next > 1 << width && width < 12) width++; }
    else { write(clear); table = new Map(); next = 258; width = 9; }
    prefix = pixels[i];
  }
  write(prefix);
  if (next === 1 << width && width < 12) width++; // the reader's table is one behind
  write(257);
  if (bits) out.push(held & 255);
  const blocks = [];
  for (let at = 0; at < out.length; at += 255) { const part = out.slice(at, at + 255); blocks.push(Uint8Array.from([part.length, ...part])); }
  return [...blocks, Uint8Array.from([0])];
}

// The rectangle in which two frames differ, or one pixel.
function changedBox(now, before, width, height) {
  let [x0, x1, y0, y1] = [width, -1, height, -1];
  for (let i = 0; i < now.length; i++) if (now[i] !== before[i]) { const x = i % width, y = (i - x) / width; if (x < x0) x0 = x; if (x > x1) x1 = x; if (y < y0) y0 = y; if (y > y1) y1 = y; }
  return x1 < 0 ? [0, 0, 1, 1] : [x0, y0, x1 - x0 + 1, y1 - y0 + 1];
}

// Frames are ImageData of one size; delays are hundredths of a second.
export function encodeGif(frames, delays) {
  const { width, height } = frames[0], { colours, find } = makePalette(frames), bytes = new Bytes();
  bytes.words("GIF89a"); bytes.short(width, height); bytes.add(0xf7, 0, 0);
  for (let k = 0; k < 256; k++) bytes.add(...(colours[k] ?? [0, 0, 0]));
  bytes.add(0x21, 0xff, 11); bytes.words("NETSCAPE2.0"); bytes.add(3, 1, 0, 0, 0); // for ever
  let before = null;
  frames.forEach(({ data }, k) => {
    const now = new Uint8Array(width * height);
    for (let i = 0; i < now.length; i++) now[i] = find(data[4 * i], data[4 * i + 1], data[4 * i + 2]);
    const [x, y, w, h] = before ? changedBox(now, before, width, height) : [0, 0, width, height], part = new Uint8Array(w * h);
    for (let row = 0; row < h; row++) part.set(now.subarray((y + row) * width + x, (y + row) * width + x + w), row * w);
    bytes.add(0x21, 0xf9, 4, 4); bytes.short(delays[k]); bytes.add(0, 0, 0x2c); bytes.short(x, y, w, h); bytes.add(0, 8);
    bytes.parts.push(...lzw(part));
    before = now;
  });
  bytes.add(0x3b);
  return bytes.parts;
}
