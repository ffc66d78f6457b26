// Rows of comma- or tab-separated values: a table whose first line names the columns.
import { type Mark, maxHeadingLength } from '../marks.ts'
import type { LineMarker } from './line-marks.ts'

export class DelimitedMarker implements LineMarker {
  #lines = 0
  #header = ''

  before(line: string): readonly Mark[] {
    this.#lines++
    if (this.#lines === 1) {
      this.#header = line
      return [{ mark: 'begin', block: 'table' }]
    }
    const isNamed =
      this.#lines === 2 && this.#header.length <= maxHeadingLength && !/^[\d\s.,;|"-]*$/.test(this.#header)
    return isNamed ? [{ mark: 'header', text: this.#header.replace(/\t/g, ' | ') }] : []
  }

  end(): readonly Mark[] {
    return this.#lines === 0 ? [] : [{ mark: 'end' }]
  }
}
