import { describe, expect, it } from 'vitest'
import { FormParser } from './form-parser.ts'

interface Part {
  name: string
  filename: string | undefined
  type: string
  content: string
  isWhole: boolean
}

function partsOf(pieces: readonly Buffer[]): Part[] {
  const parts: Part[] = []
  const parser = new FormParser('b-', ({ name, filename, mediaType: type }) => {
    const part: Part = { name, filename, type, content: '', isWhole: false }
    parts.push(part)
    return {
      add: (bytes) => {
        part.content += bytes.toString('latin1')
      },
      end: () => {
        part.isWhole = true
      },
    }
  })
  for (const piece of pieces) parser.push(piece)
  parser.end()
  return parts
}

const content = '\r\n--b\r\n--b\r\r\n--\r\n\r\n--b\n-\r\n'
const form = Buffer.from(
  [
    'preamble\r\n--b-  \r\nContent-Disposition: form-data;\r\n name="first"\r\n\r\none\r\n',
    `--b-\r\nX: y\r\ncontent-type: Image/PNG; a=b\r\nCONTENT-DISPOSITION: Form-Data; filename="f"; name=file\r\n\r\n${content}\r\n`,
    '--b-\r\nContent-Disposition: form-data; name="empty"\r\n\r\n\r\n--b---\r\n\r\n--b-\r\nepilogue',
  ].join(''),
  'latin1',
)
const expected: Part[] = [
  { name: 'first', filename: undefined, type: 'text/plain', content: 'one', isWhole: true },
  { name: 'file', filename: 'f', type: 'image/png', content, isWhole: true },
  { name: 'empty', filename: undefined, type: 'text/plain', content: '', isWhole: true },
]

describe('a form', () => {
  it('is read the same wherever it is cut', () => {
    expect(partsOf([form])).toEqual(expected)
    for (let at = 1; at < form.length; at++) {
      expect(partsOf([form.subarray(0, at), form.subarray(at)]), `cut at ${at}`).toEqual(expected)
    }
    for (const size of [1, 2, 3, 5, 7]) {
      const pieces = Array.from({ length: Math.ceil(form.length / size) }, (_, index) =>
        form.subarray(index * size, (index + 1) * size),
      )
      expect(partsOf(pieces), `pieces of ${size}`).toEqual(expected)
    }
  })

  it('is not whole before its last boundary', () => {
    const last = form.indexOf('--b---') + '--b---'.length
    for (let at = 0; at < last; at++) expect(() => partsOf([form.subarray(0, at)]), `cut at ${at}`).toThrow()
    expect(partsOf([form.subarray(0, last)])).toEqual(expected)
  })
})
