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

/** Has the browser keep a text as a file. */
export function download(name: string, text: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
