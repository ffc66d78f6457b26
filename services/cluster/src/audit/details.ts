// What of a request's body goes on record: all but secrets, and nothing that is long.
const secretName = /pass|secret|token|credential|private/i
const hidden = '[hidden]'
const maxTextLength = 500
const maxItems = 50
const maxDepth = 6

export function shownDetails(body: unknown, depth = 0): unknown {
  if (typeof body === 'string') return body.length > maxTextLength ? `${body.slice(0, maxTextLength)}…` : body
  if (typeof body !== 'object' || body === null) return body
  if (isUpload(body)) return { filename: body.file.filename, bytes: body.file.blob.bytes }
  if (depth === maxDepth) return '…'
  if (Array.isArray(body)) return body.slice(0, maxItems).map((item) => shownDetails(item, depth + 1))
  const fields = Object.entries(body).slice(0, maxItems)
  return Object.fromEntries(
    fields.map(([name, value]) => [name, secretName.test(name) ? hidden : shownDetails(value, depth + 1)]),
  )
}

interface Upload {
  file: { filename: string; blob: { bytes: number } }
}

const isUpload = (body: object): body is Upload =>
  'file' in body && typeof body.file === 'object' && body.file !== null && 'blob' in body.file
