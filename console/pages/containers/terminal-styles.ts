// The terminal writes its colours into style elements, and some into style attributes: this page's policy lets neither
// count. The same rules as style sheets made by script do, so while a terminal is there, elements make these instead.

export function keepStyles(): { dispose(): void } {
  const sheets = new Set<CSSStyleSheet>()
  const make = document.createElement.bind(document)
  const styled = (name: string, options?: ElementCreationOptions): HTMLElement => {
    if (name === 'style') return sheetElement(make('data'), sheets)
    return name === 'span' ? freely(make('span')) : make(name, options)
  }
  document.createElement = styled as typeof document.createElement
  return {
    dispose() {
      // What stands on the prototype is found again.
      Reflect.deleteProperty(document, 'createElement')
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => !sheets.has(sheet))
    },
  }
}

/** Stands where the style element would, and keeps its rules in a sheet. */
function sheetElement(element: HTMLElement, sheets: Set<CSSStyleSheet>): HTMLElement {
  const sheet = new CSSStyleSheet()
  sheets.add(sheet)
  document.adoptedStyleSheets.push(sheet)
  element.hidden = true
  Object.defineProperty(element, 'textContent', { set: (css: string) => sheet.replaceSync(css) })
  return element
}

function freely(element: HTMLElement): HTMLElement {
  const setAttribute = element.setAttribute.bind(element)
  element.setAttribute = (name, value) => {
    if (name === 'style') element.style.cssText = value
    else setAttribute(name, value)
  }
  const cloneNode = element.cloneNode.bind(element)
  element.cloneNode = (isDeep) => freely(cloneNode(isDeep) as HTMLElement)
  return element
}
