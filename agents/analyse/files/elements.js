// Elements of a page, made by scripts.

// Returns an element with properties and children; those that are null are left out.
export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children.filter((child) => child !== null));
  return made;
}

// Returns words with a capital letter.
export const capital = (words) => words[0].toUpperCase() + words.slice(1);
