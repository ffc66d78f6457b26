// DNS messages: reads one question, writes answers to it (RFC 1035).
import { type Address, parseAddress } from '../address.ts'

export const recordTypes = { A: 1, PTR: 12, AAAA: 28 } as const
export const codes = { ok: 0, malformed: 1, failed: 2, unknownName: 3, notImplemented: 4, refused: 5 } as const

export interface Question {
  id: number
  /** Lower case, without the dot at the end. */
  name: string
  type: number
  isRecursionDesired: boolean
  /** Header and question as they came, without what follows. */
  bytes: Buffer
}

export type Answer = { address: Address } | { pointer: string }

const headerBytes = 12
const maxNameBytes = 255
const internetClass = 1
const answerSeconds = 60
/** What an answer over UDP may have without asking. */
const maxAnswers = 24

/** Undefined for what is no question: it is not answered. `malformed` questions are. */
export function readQuestion(message: Buffer): Question | 'malformed' | undefined {
  if (message.length < headerBytes) return undefined
  const flags = message.readUInt16BE(2)
  const isResponse = (flags & 0x8000) !== 0
  if (isResponse) return undefined
  const isStandard = (flags & 0x7800) === 0
  if (!isStandard || message.readUInt16BE(4) !== 1) return 'malformed'
  const read = readName(message, headerBytes)
  if (read === undefined || message.length < read.end + 4) return 'malformed'
  if (message.readUInt16BE(read.end + 2) !== internetClass) return 'malformed'
  return {
    id: message.readUInt16BE(0),
    name: read.name,
    type: message.readUInt16BE(read.end),
    isRecursionDesired: (flags & 0x100) !== 0,
    bytes: message.subarray(0, read.end + 4),
  }
}

/** A question has no compressed names: a pointer is malformed. */
function readName(message: Buffer, start: number): { name: string; end: number } | undefined {
  const labels: string[] = []
  let at = start
  for (;;) {
    const length = message[at]
    if (length === undefined || length > 63 || at - start > maxNameBytes) return undefined
    at++
    if (length === 0) return { name: labels.join('.').toLowerCase(), end: at }
    if (at + length > message.length) return undefined
    labels.push(message.toString('latin1', at, at + length))
    at += length
  }
}

export function writeAnswer(question: Question, code: number, answers: readonly Answer[] = []): Buffer {
  const records = answers.slice(0, maxAnswers).map(writeRecord)
  const head = Buffer.from(question.bytes)
  // Response, authoritative where we know it, recursion available.
  const authoritative = code === codes.ok && answers.length > 0 ? 0x0400 : 0
  head.writeUInt16BE(0x8080 | authoritative | (question.isRecursionDesired ? 0x100 : 0) | code, 2)
  head.writeUInt16BE(records.length, 6)
  head.writeUInt16BE(0, 8)
  head.writeUInt16BE(0, 10)
  return Buffer.concat([head, ...records])
}

/** For a message whose question could not be read. */
export function writeRefusal(message: Buffer, code: number): Buffer {
  const head = Buffer.alloc(headerBytes)
  message.copy(head, 0, 0, 2)
  head.writeUInt16BE(0x8080 | code, 2)
  return head
}

function writeRecord(answer: Answer): Buffer {
  const data = 'address' in answer ? addressBytes(answer.address) : nameBytes(answer.pointer)
  const type = 'pointer' in answer ? recordTypes.PTR : answer.address.family === 4 ? recordTypes.A : recordTypes.AAAA
  const head = Buffer.alloc(12)
  // The name of the question, where it stands.
  head.writeUInt16BE(0xc000 | headerBytes, 0)
  head.writeUInt16BE(type, 2)
  head.writeUInt16BE(internetClass, 4)
  head.writeUInt32BE(answerSeconds, 6)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}

function addressBytes({ family, value }: Address): Buffer {
  return Buffer.from(value.toString(16).padStart(family === 4 ? 8 : 32, '0'), 'hex')
}

function nameBytes(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from(label.slice(0, 63), 'latin1'))
  return Buffer.concat([...labels.flatMap((label) => [Buffer.from([label.length]), label]), Buffer.from([0])])
}

/** The address that a reverse lookup asks for. */
export function reversedAddress(name: string): Address | undefined {
  if (name.endsWith('.in-addr.arpa')) {
    return parseAddress(name.slice(0, -'.in-addr.arpa'.length).split('.').reverse().join('.'))
  }
  if (!name.endsWith('.ip6.arpa')) return undefined
  const digits = name.slice(0, -'.ip6.arpa'.length).split('.').reverse().join('')
  return parseAddress((digits.match(/.{4}/g) ?? []).join(':'))
}
