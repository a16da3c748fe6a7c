// The list of mentions. Only what is in sight exists as elements, so that thousands cost nothing.

const AROUND = 8; // items made above and below those in sight

class MentionList {
  // `item` fills a list item; `selected` is told which mention is chosen, and
  // by what: click, key, enter or null.
  constructor(box, spacer, item, selected) {
    Object.assign(this, { box, spacer, item, selected, found: [], at: -1, frame: 0 });
    box.addEventListener("scroll", () => this.later());
    box.addEventListener("keydown", (event) => this.key(event));
    box.addEventListener("click", (event) => {
      const option = event.target.closest("[role=option]");
      if (option) this.go(Number(option.dataset.at), "click");
    });
    new ResizeObserver(() => this.later()).observe(box);
  }

  get height() {
    return 3.6 * parseFloat(getComputedStyle(document.documentElement).fontSize);
  }

  // Show these mentions, staying at the same one if it is among them.
  show(found, mention) {
    this.found = found;
    this.spacer.style.height = `${found.length * this.height}px`;
    const place = found.indexOf(mention);
    this.at = -1;
    this.go(place >= 0 ? place : found.length ? 0 : -1, null);
  }

  go(place, by) {
    const bounded = Math.min(Math.max(place, -1), this.found.length - 1);
    this.at = this.found.length ? Math.max(bounded, 0) : -1;
    this.intoSight();
    this.draw();
    this.selected(this.at < 0 ? null : this.found[this.at], by);
  }

  intoSight() {
    if (this.at < 0) return;
    const top = this.at * this.height;
    const view = this.box.clientHeight;
    if (top < this.box.scrollTop) this.box.scrollTop = top;
    else if (top + this.height > this.box.scrollTop + view) this.box.scrollTop = top + this.height - view;
  }

  later() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.draw());
  }

  draw() {
    const height = this.height;
    const { scrollTop, clientHeight } = this.box;
    const first = Math.max(0, Math.floor(scrollTop / height) - AROUND);
    const last = Math.min(this.found.length, Math.ceil((scrollTop + clientHeight) / height) + AROUND);
    const items = [];
    for (let place = first; place < last; place++) {
      const chosen = place === this.at;
      const option = make("div", {
        role: "option",
        id: `mention-${place}`,
        class: chosen ? "item chosen" : "item",
        "aria-selected": String(chosen),
        "aria-posinset": place + 1,
        "aria-setsize": this.found.length,
        "data-at": place,
      });
      option.style.top = `${place * height}px`;
      this.item(option, this.found[place]);
      items.push(option);
    }
    this.spacer.replaceChildren(...items);
    if (this.at >= 0) this.box.setAttribute("aria-activedescendant", `mention-${this.at}`);
    else this.box.removeAttribute("aria-activedescendant");
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const page = Math.max(1, Math.floor(this.box.clientHeight / this.height) - 1);
    const moves = {
      ArrowDown: this.at + 1,
      ArrowUp: Math.max(this.at - 1, 0),
      PageDown: this.at + page,
      PageUp: Math.max(this.at - page, 0),
      Home: 0,
      End: this.found.length - 1,
    };
    if (event.key in moves) this.go(moves[event.key], "key");
    else if (event.key === "Enter" && this.at >= 0) this.selected(this.found[this.at], "enter");
    else return;
    event.preventDefault();
  }
}
