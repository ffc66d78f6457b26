import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { kindOf } from './commands.ts'
import { FrameScanner, ProtocolError } from './frame-scanner.ts'
import { inlineCommand } from './inline-command.ts'
import { argumentsOf, encodeCommand, RequestScanner } from './request-scanner.ts'

const line = (type: string) => fc.stringMatching(/^[a-z0-9 ]{0,12}$/).map((text) => `${type}${text}\r\n`)
/** Also such that look like frames themselves. */
const held = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc
    .array(fc.constantFrom('$', '+', ':', '>', '-', '*', '0', '1', '\r\n'), { maxLength: 40 })
    .map((signs) => signs.join('')),
)
const bulk = (type: string) => held.map((text) => `${type}${Buffer.byteLength(text)}\r\n${text}\r\n`)
const simple = fc.oneof(
  ...['+', '-', ':', ',', '#', '('].map(line),
  ...['$', '=', '!'].map(bulk),
  fc.constant('$-1\r\n'),
  fc.constant('*-1\r\n'),
  fc.constant('_\r\n'),
)
const { frame } = fc.letrec<{ frame: string; list: string; pairs: string; noted: string }>((tie) => ({
  frame: fc.oneof({ depthSize: 'small' }, simple, tie('list'), tie('pairs'), tie('noted')),
  list: fc
    .tuple(fc.constantFrom('*', '~', '>'), fc.array(tie('frame'), { maxLength: 4 }))
    .map(([type, elements]) => `${type}${elements.length}\r\n${elements.join('')}`),
  pairs: fc
    .array(fc.tuple(tie('frame'), tie('frame')), { maxLength: 3 })
    .map((elements) => `%${elements.length}\r\n${elements.flat().join('')}`),
  noted: fc
    .tuple(fc.array(fc.tuple(tie('frame'), tie('frame')), { maxLength: 2 }), tie('frame'))
    .map(([notes, noted]) => `|${notes.length}\r\n${notes.flat().join('')}${noted}`),
}))

/** The stream in pieces, cut at any byte. */
function pieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b)
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end))
}

function framesIn(chunks: readonly Buffer[]): string[] {
  const scanner = new FrameScanner()
  const found: string[] = []
  let begun = ''
  for (const chunk of chunks) {
    let at = 0
    while (at < chunk.length) {
      const end = scanner.next(chunk, at)
      begun += chunk.toString('latin1', at, end < 0 ? chunk.length : end)
      if (end < 0) break
      found.push(begun)
      begun = ''
      at = end
    }
  }
  expect([begun, scanner.isBetween]).toEqual(['', true])
  return found
}

describe('frames of RESP', () => {
  it('end where they end, however the stream is cut', () => {
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 8 }), fc.array(fc.nat(), { maxLength: 12 }), (frames, cuts) => {
        const bytes = frames.map((each) => Buffer.from(each))
        const found = framesIn(pieces(Buffer.concat(bytes), cuts))
        expect(found).toEqual(bytes.map((each) => each.toString('latin1')))
      }),
      { numRuns: 2_000 },
    )
  })

  it('are refused when they are none', () => {
    for (const text of ['hello\r\n', '$x\r\n', '*99999999999999999999\r\n']) {
      expect(() => new FrameScanner().next(Buffer.from(text), 0)).toThrow(ProtocolError)
    }
  })
})

describe('commands of clients', () => {
  it('are found whole, by name, with their arguments', () => {
    const words = fc.array(fc.uint8Array({ maxLength: 20 }), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(words, (given) => {
        const parts = given.map((word) => Buffer.from(word))
        const command = encodeCommand(parts)
        const scanner = new RequestScanner()
        for (let length = 1; length < command.length; length++) {
          expect(scanner.next(command.subarray(0, length), 0)).toBe(-1)
          expect(scanner.needed).toBeGreaterThan(length)
          expect(scanner.needed).toBeLessThanOrEqual(command.length)
        }
        expect(scanner.next(command, 0)).toBe(command.length)
        expect(command.subarray(scanner.nameAt, scanner.nameAt + scanner.nameLength)).toEqual(parts[0])
        expect(argumentsOf(command)).toEqual(parts)
      }),
    )
  })

  it('may be plain lines, in words and quotes as the server reads them', () => {
    const bytes = Buffer.from('  set a 1\r\nPING\r\n')
    expect(new RequestScanner().next(bytes, 0)).toBe(11)
    expect(new RequestScanner().next(bytes, 11)).toBe(bytes.length)
    const words = (line: string) => {
      const command = inlineCommand(Buffer.from(line, 'latin1'))
      return Buffer.isBuffer(command) ? argumentsOf(command).map((word) => word.toString('latin1')) : command
    }
    expect(words('  set a 1\r\n')).toEqual(['set', 'a', '1'])
    expect(words(' \t\r\n')).toBeUndefined()
    const quoted = 'set "a b\\x41\\n\\"" \'it\\\'s\\n\' x"y" ""\n'
    expect(words(quoted)).toEqual(['set', 'a bA\n"', "it's\\n", 'xy', ''])
    for (const line of ['set "a', "set 'a", 'set "a"b', "'", 'a"'])
      expect(words(`${line}\r\n`), line).toBe('unbalanced')
  })

  it('are refused with absurd lengths', () => {
    for (const text of ['*9999999999\r\n', '*1\r\n$9999999999\r\n', '*1\r\nx\r\n', '*z\r\n', '*1\r\n$-1\r\n']) {
      expect(() => new RequestScanner().next(Buffer.from(text), 0)).toThrow(ProtocolError)
    }
  })

  it('are known by their names in any case, and others pass', () => {
    const kind = (name: string) => kindOf(Buffer.from(name), 0, name.length)
    expect(['MULTI', 'blPop', 'psubscribe', 'XREAD', 'wait'].map(kind)).toEqual([
      'begin',
      'block',
      'subscribe',
      'maybe-block',
      'count-replicas',
    ])
    expect(['get', 'set', 'mult1', 'hgetall', 'averyveryverylongname'].map(kind)).toEqual(Array(5).fill(undefined))
  })
})
