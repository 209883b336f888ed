// Labels over the chart: each takes the first free place, and goes where there is none.
const boxesMeet = (one, other) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

const labelLayer = (over) => {
  const { clientWidth: width, clientHeight: height } = over;
  const taken = [];
  const isFree = (box, own) =>
    box.left >= 0 && box.top >= 0 && box.right <= width && box.bottom <= height
    && !taken.some((other) => other.owner !== own && boxesMeet(box, other));
  return {
    block: (box, owner) => taken.push({ ...box, owner }),
    // places: from the size of the label to its left upper corners, the best one first
    put: (content, className, places, owner) => {
      const label = over.appendChild(element("span", `label ${className}`, content));
      const { offsetWidth: w, offsetHeight: h } = label;
      for (const [left, top] of places(w, h)) {
        const box = { left, top, right: left + w, bottom: top + h, owner: null };
        if (isFree(box, owner)) {
          label.style.left = `${left}px`;
          label.style.top = `${top}px`;
          taken.push(box);
          return;
        }
      }
      label.remove();
    },
  };
};
