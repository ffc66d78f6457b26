// What takes longest to read, to check or to refuse, for its size.
export interface Worst {
  name: string
  /** Where alone it is worst; absent: everywhere. */
  path?: string
  text(): string
}

const megabyte = 1_000_000
const repeated = (item: string, bytes: number): string => `${item},`.repeat(bytes / (item.length + 1)) + item
const names = (count: number): string => Array.from({ length: count }, (_, index) => `"k${index}":0`).join()
const message = (content: string): string => `{"role":"user","content":${content}}`
const chat = (messages: string): string => `{"model":"absent","messages":[${messages}]}`
const chatPath = '/v1/chat/completions'
const manyParts = (part: string, parts: number): string =>
  chat(repeated(message(`[${repeated(part, parts * (part.length + 1))}]`), 1.5 * megabyte))

export const worstJson: readonly Worst[] = [
  { name: 'nested arrays', text: () => '['.repeat(8 * megabyte) + ']'.repeat(8 * megabyte) },
  { name: 'nested objects', text: () => '{"a":'.repeat(3 * megabyte) },
  { name: 'numbers', text: () => `[${repeated('0', 16 * megabyte)}]` },
  { name: 'empty arrays', text: () => `[${repeated('[]', 16 * megabyte)}]` },
  { name: 'names', text: () => `{${names(600_000)}}` },
  { name: 'messages', path: chatPath, text: () => chat(repeated(message('"a"'), 16 * megabyte)) },
  { name: 'parts that are right', path: chatPath, text: () => manyParts('{"type":"text","text":"a"}', 15) },
  { name: 'parts that are wrong', path: chatPath, text: () => manyParts('{}', 48) },
  { name: 'parts with an unknown name', path: chatPath, text: () => manyParts('{"type":"text","text":"a","x":0}', 12) },
  {
    name: 'tokens to embed',
    path: '/v1/embeddings',
    text: () => `{"model":"absent","input":[${repeated(`[${repeated('1234', 40_000)}]`, 24 * megabyte)}]}`,
  },
  { name: 'a name of many letters', text: () => `{"${'a'.repeat(8 * megabyte)}":0}` },
  { name: 'a number of many digits', text: () => '1'.repeat(8 * megabyte) },
  { name: 'escapes', text: () => `"${'\\u0000'.repeat(megabyte)}"` },
]

const disposition = 'content-disposition: form-data; name="file"; filename="a.txt"'
const part = (headers: string, content: string): string => `--x\r\n${headers}\r\n\r\n${content}\r\n--x--\r\n`

export const worstForms: readonly Worst[] = [
  { name: 'a long header', text: () => part(`${disposition}\r\nx: ${'a'.repeat(5 * megabyte)}`, 'a') },
  { name: 'many headers', text: () => part(`${disposition}${'\r\nx: a'.repeat(megabyte)}`, 'a') },
  { name: 'headers without an end', text: () => `--x\r\n${'x: a\r\n'.repeat(megabyte)}` },
  { name: 'many fields', text: () => '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n\r\n'.repeat(200_000) },
  { name: 'boundaries that are none', text: () => part(disposition, '\r\n--'.repeat(2 * megabyte)) },
  { name: 'nothing but line breaks', text: () => '\r\n'.repeat(4 * megabyte) },
]

const long = 15_000

export const worstQueries: readonly { name: string; path: string; headers?: Record<string, string> }[] = [
  { name: 'a long value', path: `/v1/files?after=${'a'.repeat(long)}` },
  { name: 'many names', path: `/v1/files?${Array.from({ length: 2_000 }, (_, index) => `k${index}=1`).join('&')}` },
  { name: 'nested names', path: `/v1/files?${'a[b]=1&'.repeat(1_900)}` },
  { name: 'brackets', path: `/v1/files?${'['.repeat(long)}=1` },
  { name: 'percent signs', path: `/v1/files?after=${'%41'.repeat(4_500)}` },
  { name: 'a long path', path: `/v1/files/${'%41'.repeat(4_500)}` },
  { name: 'many segments', path: `/v1${'/a'.repeat(7_000)}` },
  { name: 'many cookies', path: '/v1/organization/projects', headers: { cookie: 'a=b; '.repeat(3_000) } },
  { name: 'a long key', path: '/v1/models', headers: { authorization: `Bearer sk-${'a'.repeat(long)}` } },
  { name: 'a long range', path: '/v1/files/x/content', headers: { range: `bytes=${' '.repeat(long)}0-` } },
]
