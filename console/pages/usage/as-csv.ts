import type { Usage } from './use-usage.ts'

/** One row for each time and name. A value that a spreadsheet would take for a formula is kept from being one. */
export const asCsv = ({ times, series }: Usage): string =>
  [
    ['time', 'name', 'value'],
    ...series.flatMap(({ name, values }) =>
      values.map((value, index) => [new Date((times[index] ?? 0) * 1000).toISOString(), name, String(value)]),
    ),
  ]
    .map((row) => row.map(cell).join(','))
    .join('\r\n')

function cell(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}
