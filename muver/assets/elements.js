// Making elements. Text only ever becomes a text node, so nothing in the data can turn into markup.

function byId(id) {
  return document.getElementById(id);
}

// make("p", {class: "hint"}, "text", element, ...); properties that are null are left out.
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false)
      element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

function option(value, text) {
  return make("option", { value }, text);
}

// 1 mention, 2 mentions
function counted(number, one, many) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many || one + "s"}`;
}
