/** The rows of a CSV file by the names in its first line. Quoted fields may hold commas, quotes and line ends. */
export function parseCsv(text: string): Record<string, string>[] {
  const [names = [], ...rows] = [...csvRows(text)]
  return rows
    .filter((row) => row.length === names.length)
    .map((row) => Object.fromEntries(names.map((name, at) => [name, row[at] ?? ''])))
}

function* csvRows(text: string): Generator<string[]> {
  let row: string[] = []
  const field = /"((?:[^"]|"")*)"|([^",\r\n]*)/y
  while (field.lastIndex < text.length) {
    const [, quoted, plain = ''] = field.exec(text) ?? []
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (text[field.lastIndex] === ',') {
      field.lastIndex++
      continue
    }
    const lineEnd = /\r?\n|$/g
    lineEnd.lastIndex = field.lastIndex
    lineEnd.exec(text)
    field.lastIndex = Math.max(lineEnd.lastIndex, field.lastIndex + 1)
    yield row
    row = []
  }
}
