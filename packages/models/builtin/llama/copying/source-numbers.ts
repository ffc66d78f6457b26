// The numbers of the source, as JSON writes them.

const numbers = /\d+(?:[.,]\d+)*/g
const plain = /^\d+(?:\.\d+)?$/
const groupedByCommas = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/
const groupedByPoints = /^\d{1,3}(?:\.\d{3})+(?:,\d+)?$/
const withComma = /^\d+,\d+$/

/** As many as an answer can be about. */
const maxNumbers = 512
/** What is in more parts is no date, version or address, and could be thousands. */
const maxParts = 4

export class SourceNumbers {
  /** `1,550.00` is 1550.00 and 1550. */
  readonly written: readonly string[]
  readonly #times = new Map<number, number>()

  constructor(text: string) {
    const written = new Set<string>()
    const found = (text.match(numbers) ?? []).slice(-maxNumbers)
    for (const readings of found.map(readingsOf)) {
      for (const reading of readings) written.add(reading)
      for (const value of new Set(readings.map(Number))) this.#times.set(value, (this.#times.get(value) ?? 0) + 1)
    }
    this.written = [...written]
  }

  /** How often the source has it. */
  timesOf(value: number): number {
    return this.#times.get(value) ?? 0
  }
}

function readingsOf(number: string): string[] {
  const values = [
    ...(plain.test(number) ? [number] : []),
    ...(groupedByCommas.test(number) ? [number.replaceAll(',', '')] : []),
    ...(groupedByPoints.test(number) ? [number.replaceAll('.', '').replace(',', '.')] : []),
    ...(withComma.test(number) && !groupedByCommas.test(number) ? [number.replace(',', '.')] : []),
  ]
  if (values.length === 0) {
    const parts = number.split(/[.,]/, maxParts + 1)
    return parts.length > maxParts ? [] : parts
  }
  return values.flatMap((value) => [value, withoutLastZeros(value)])
}

const withoutLastZeros = (value: string): string => (value.includes('.') ? value.replace(/\.?0+$/, '') : value)
