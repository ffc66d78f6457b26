// Parts of an Office file and how they refer to one another.
import { posix } from 'node:path'
import { type MarkupListener, readMarkup } from './markup.ts'
import { TextBuilder } from './text-builder.ts'
import type { Zip } from './zip.ts'

export interface Relation {
  id: string
  /** The last word of its type: `officeDocument`, `slide`, `notesSlide`. */
  type: string
  /** A name in the archive. */
  target: string
}

/** What the part refers to; '' is the whole file. */
export async function relationsOf(zip: Zip, part: string): Promise<Relation[]> {
  const folder = posix.dirname(part)
  const found: Relation[] = []
  await visit(zip, posix.join(folder, '_rels', `${posix.basename(part)}.rels`), {
    Relationship: ({ Id = '', Type = '', Target = '' }) => {
      const target = Target.startsWith('/') ? Target.slice(1) : posix.join(folder, Target)
      found.push({ id: Id, type: Type.slice(Type.lastIndexOf('/') + 1), target })
    },
  })
  return found
}

/** Calls for each element of these names, with its attributes. */
export async function visit(
  zip: Zip,
  part: string,
  visitors: Record<string, (attributes: Record<string, string>) => void>,
): Promise<void> {
  const listener = new AttributeListener(visitors)
  for await (const _ of readMarkup(zip.text(part), 'xml', listener));
}

class AttributeListener implements MarkupListener {
  readonly out = new TextBuilder()
  readonly #visitors: Record<string, (attributes: Record<string, string>) => void>
  #element = ''
  #attributes: Record<string, string> = {}

  constructor(visitors: Record<string, (attributes: Record<string, string>) => void>) {
    this.#visitors = visitors
  }

  open(name: string): void {
    this.#finish()
    this.#element = name
    this.#attributes = {}
  }

  attribute(name: string, value: string): void {
    if (Object.hasOwn(this.#visitors, this.#element)) this.#attributes[name] ??= value
  }

  close(): void {
    this.#finish()
  }

  text(): void {}

  #finish(): void {
    if (Object.hasOwn(this.#visitors, this.#element)) this.#visitors[this.#element]?.(this.#attributes)
    this.#element = ''
  }
}
