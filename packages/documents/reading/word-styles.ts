// Which styles of a Word document are headings, by their ids: names are English in every language, ids are not.
import { type MarkupListener, readMarkup } from './markup.ts'
import { TextBuilder } from './text-builder.ts'
import type { Zip } from './zip.ts'

/** A heading's level, or that of the whole document. */
export type HeadingStyle = number | 'title'

const maxStyles = 10_000
const bodyLevel = 9

export async function headingStyles(
  zip: Zip,
  part: string | undefined,
): Promise<(id: string) => HeadingStyle | undefined> {
  const listener = new StylesListener()
  if (part !== undefined) for await (const _ of readMarkup(zip.text(part), 'xml', listener));
  const { styles } = listener
  return (id) => styleOf(styles, id) ?? (styles.size === 0 ? byName(id) : undefined)
}

interface Style {
  heading?: HeadingStyle | undefined
  basedOn?: string | undefined
}

function styleOf(styles: ReadonlyMap<string, Style>, id: string): HeadingStyle | undefined {
  let style = styles.get(id)
  // A style may go back to itself.
  for (let steps = 0; steps < 10 && style !== undefined; steps++) {
    if (style.heading !== undefined) return style.heading
    style = style.basedOn === undefined ? undefined : styles.get(style.basedOn)
  }
  return undefined
}

function byName(name: string): HeadingStyle | undefined {
  if (/^title$/i.test(name)) return 'title'
  const level = /^heading ?([1-9])$/i.exec(name)?.[1]
  return level === undefined ? undefined : Number(level)
}

class StylesListener implements MarkupListener {
  readonly out = new TextBuilder()
  readonly styles = new Map<string, Style>()
  #element = ''
  #style: Style = {}

  open(name: string): void {
    this.#element = name
    if (name === 'style') this.#style = {}
  }

  attribute(name: string, value: string): void {
    if (this.#element === 'style' && name.endsWith('styleId') && this.styles.size < maxStyles)
      this.styles.set(value, this.#style)
    if (!name.endsWith('val')) return
    if (this.#element === 'name') this.#style.heading ??= byName(value)
    else if (this.#element === 'basedOn') this.#style.basedOn = value
    else if (this.#element === 'outlineLvl') this.#style.heading ??= outlineLevel(value)
  }

  close(): void {
    this.#element = ''
  }

  text(): void {}
}

/** Word counts from 0; the last is ordinary text. */
export function outlineLevel(value: string): number | undefined {
  const level = Number.parseInt(value, 10)
  return level >= 0 && level < bodyLevel ? level + 1 : undefined
}
