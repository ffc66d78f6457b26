// The few forms of ASN.1 that certificates are made of.
const tags = { integer: 0x02, bits: 0x03, octets: 0x04, oid: 0x06, text: 0x0c, time: 0x18, sequence: 0x30, set: 0x31 }

function block(tag: number, content: Uint8Array): Buffer {
  const size = content.length
  const long = Buffer.from(size.toString(16).padStart(size > 0xff ? (size > 0xffff ? 6 : 4) : 2, '0'), 'hex')
  const length = size < 0x80 ? Buffer.from([size]) : Buffer.concat([Buffer.from([0x80 | long.length]), long])
  return Buffer.concat([Buffer.from([tag]), length, content])
}

export const sequence = (...items: Uint8Array[]): Buffer => block(tags.sequence, Buffer.concat(items))
export const set = (...items: Uint8Array[]): Buffer => block(tags.set, Buffer.concat(items))
export const octets = (content: Uint8Array): Buffer => block(tags.octets, content)
export const text = (value: string): Buffer => block(tags.text, Buffer.from(value))
export const isTrue = Buffer.from([0x01, 0x01, 0xff])
export const nothing = Buffer.from([0x05, 0x00])

/** Never negative. */
export function integer(bytes: Uint8Array): Buffer {
  return block(tags.integer, (bytes[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes)
}

export const bits = (content: Uint8Array, unused = 0): Buffer =>
  block(tags.bits, Buffer.concat([Buffer.from([unused]), content]))

/** Under a number of its own: `[3]`. */
export const tagged = (number: number, content: Uint8Array): Buffer => block(0xa0 | number, content)

/** Plain bytes under a number of their own. */
export const plain = (number: number, content: Uint8Array): Buffer => block(0x80 | number, content)

export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return block(tags.oid, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

function base128(value: number): number[] {
  const digits = [value & 0x7f]
  for (let left = value >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80)
  return digits
}

/** To the second, in UTC. */
export const time = (ms: number): Buffer =>
  block(tags.time, Buffer.from(`${new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, '')}`))
