// All texts that are seen; those cut off by a box that neither scrolls nor ends them with an ellipsis; and those that lie
// over another. What the user may move out of sight (the canvas) and what a dialog covers does not count.
() => {
  const cut = [], over = [], seen = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.data.trim(), owner = node.parentElement;
    if (!text || !owner || owner.closest("script, style, option, kbd, .hidden-text, .skip, noscript")) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    if (box.width < 1 || box.height < 1) continue;
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const top = document.elementFromPoint(x, y);
    // Labels on lines let the pointer through.
    const through = getComputedStyle(owner).pointerEvents === "none";
    if (!top || !(through || owner.contains(top) || top.contains(owner))) continue;
    let whole = true;
    for (let e = owner; e && e !== document.body; e = e.parentElement) {
      const style = getComputedStyle(e);
      if (e.matches(".board")) break;
      if (style.textOverflow === "ellipsis") { whole = false; break; }
      if (/auto|scroll/.test(style.overflowX + style.overflowY)) { whole = false; break; }
      if (/hidden|clip/.test(style.overflowX)) {
        const edge = e.getBoundingClientRect();
        if (box.right > edge.right + 1 || box.left < edge.left - 1) { cut.push(text); break; }
      }
      // What is fixed to the window is not cut by what it stands in.
      if (style.position === "fixed") break;
    }
    seen.push({ text, box, owner, whole, through });
  }
  for (let i = 0; i < seen.length; i++) {
    for (let j = i + 1; j < seen.length; j++) {
      const [a, b] = [seen[i], seen[j]];
      if (!a.whole || !b.whole || a.through || b.through || a.owner === b.owner) continue;
      const wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
      const high = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
      // Lines of a paragraph that wraps share their box with what stands within it.
      if (wide > 3 && high > 3 && !a.owner.contains(b.owner) && !b.owner.contains(a.owner)
        && a.box.height < 26 && b.box.height < 26) over.push(`${a.text} | ${b.text}`);
    }
  }
  return { cut, over, texts: seen.map((one) => one.text) };
}
