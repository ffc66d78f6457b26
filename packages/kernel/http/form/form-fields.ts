// The text fields of a form, collected within limits.
import type { ErrorCatalogue } from '../error.ts'
import { FormInvalid } from './form-invalid.ts'
import type { PartSink } from './form-parser.ts'
import { type PartHead, textIn } from './part-head.ts'

export const maxFields = 50
export const maxFieldBytes = 64 * 1024

export type FormFields = Record<string, string | string[]>

export class FieldCollector {
  readonly fields: FormFields = Object.create(null)
  readonly #errors: ErrorCatalogue
  readonly #fileNames: readonly string[]
  #count = 0

  constructor(errors: ErrorCatalogue, fileNames: readonly string[]) {
    this.#errors = errors
    this.#fileNames = fileNames
  }

  /** Throws what is wrong with the field, when it is seen. `name[]` makes a list, as does a repeated name. */
  open({ name: rawName, charset = 'utf-8' }: PartHead): PartSink {
    if (++this.#count > maxFields) throw new FormInvalid(`There are more than ${maxFields} fields.`)
    const isList = rawName.endsWith('[]')
    const name = isList ? rawName.slice(0, -2) : rawName
    if (this.#fileNames.includes(name)) throw this.#noFile(name)
    const pieces: Buffer[] = []
    let bytes = 0
    return {
      add: (piece) => {
        bytes += piece.length
        if (bytes > maxFieldBytes) throw this.#tooBig(name)
        pieces.push(piece)
      },
      end: () => this.#add(name, textIn(charset, Buffer.concat(pieces)), isList),
    }
  }

  #add(name: string, value: string, isList: boolean): void {
    const old = this.fields[name]
    if (old === undefined) this.fields[name] = isList ? [value] : value
    else this.fields[name] = Array.isArray(old) ? [...old, value] : [old, value]
  }

  #noFile(param: string) {
    const expected = 'a file'
    const received = 'a string'
    const message = `Invalid type for '${param}': expected a file, but got a string instead.`
    return this.#errors.invalid({ kind: 'type', place: 'body', param, message, expected, received })
  }

  #tooBig(param: string) {
    const bound = { of: 'string' as const, limit: maxFieldBytes, inclusive: true }
    const message = `Invalid '${param}': expected <= ${maxFieldBytes} bytes.`
    return this.#errors.invalid({ kind: 'too_big', place: 'body', param, message, bound })
  }
}
