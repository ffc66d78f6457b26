// PDFs as they are printed: in columns, with tables, parted words, running heads, and pictures of pages.
import { expect, it } from 'vitest'
import { drawnPage, pdfFile } from './testing/pdf-file.ts'
import { chunksOf, testDocuments, textOf } from './testing/reading.ts'
import { fileOf } from './testing/source.ts'

const documents = testDocuments()
const lineHeight = 12
/** Lines one below the other. */
const column = (x: number, y: number, lines: readonly string[], size = 10) =>
  lines.map((text, index) => ({ x, y: y - index * lineHeight, text, size }))
const prose = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${name} line ${index} tells of ships and of cranes.`)

it('reads columns one after the other, also below a title across both', async () => {
  const left = prose('Left', 20)
  const right = prose('Right', 20)
  const rows = left.flatMap((text, index) => [
    { x: 50, y: 650 - index * lineHeight, text },
    { x: 320, y: 650 - index * lineHeight, text: right[index] ?? '' },
  ])
  const title = { x: 100, y: 700, text: 'On the work in harbours, and on what it takes to do it well', size: 16 }
  const text = await textOf(documents, 'a.pdf', pdfFile([drawnPage([title, ...rows])]))
  expect(text).toBe(`${title.text}\n\n${left.join('\n')}\n\n${right.join('\n')}`)
})

it('keeps the cells of a table apart, row by row', async () => {
  const rows = ['Ship', 'Anna', 'Berta', 'Carla', 'Dora', 'Emma', 'Frieda'].flatMap((name, index) => [
    { x: 50, y: 700 - index * lineHeight, text: name },
    { x: 200, y: 700 - index * lineHeight, text: index === 0 ? 'Length' : `${20 + index} m` },
    { x: 350, y: 700 - index * lineHeight, text: index === 0 ? 'Port' : 'Bremen' },
  ])
  const text = await textOf(documents, 'a.pdf', pdfFile([drawnPage(rows)]))
  expect(text.split('\n').slice(0, 3)).toEqual([
    'Ship | Length | Port',
    'Anna | 21 m | Bremen',
    'Berta | 22 m | Bremen',
  ])
})

it('makes parted words whole, but for those that have a hyphen of their own', async () => {
  const lines = ['The inter-', 'national port has a self-', 'service bar; self-service is', 'cheap. E-', 'Mail works.']
  const text = await textOf(documents, 'a.pdf', pdfFile([drawnPage(column(50, 700, lines))]))
  expect(text).toBe('The international\nport has a self-service\nbar; self-service is\ncheap. E-\nMail works.')
})

it('leaves out running heads and page numbers', async () => {
  const page = (number: number) =>
    drawnPage([
      { x: 50, y: 760, text: `Harbour rules, version ${number}` },
      ...column(50, 700, prose(`Page ${number}`, 5)),
      { x: 300, y: 30, text: `- ${number} -` },
    ])
  const text = await textOf(documents, 'a.pdf', pdfFile([page(1), page(2), page(3)]))
  const expected = [1, 2, 3].map((number) => prose(`Page ${number}`, 5).join('\n'))
  expect(text).toBe(`Harbour rules, version 1\n\n${expected.join('\n\f')}`)
})

const headingOf = async (file: Buffer, words: string): Promise<string | undefined> => {
  const chunks = await chunksOf(documents, fileOf('rules.pdf', file), { sizes: { maxTokens: 64, overlapTokens: 0 } })
  return chunks.findLast(({ text }) => text.includes(words))?.heading
}

it('takes large letters for headings, and the title from its properties', async () => {
  const page = drawnPage([
    { x: 50, y: 740, text: 'Mooring', size: 18 },
    ...column(50, 700, prose('Ropes', 10)),
    { x: 50, y: 560, text: 'At night', size: 12 },
    ...column(50, 540, prose('Lamps', 10)),
  ])
  expect(await headingOf(pdfFile([page]), 'Lamps line 9')).toBe('Mooring › At night')
  const trailer = '/Info << /Title (Rules of the harbour) >>'
  expect(await headingOf(pdfFile([page], { trailer }), 'Ropes line 9')).toBe('Rules of the harbour › Mooring')
})

it('takes the headings from its own outline where it has one', async () => {
  const pages = ['Ropes', 'Lamps'].map((name) =>
    drawnPage([{ x: 50, y: 740, text: `About ${name}`, size: 10 }, ...column(50, 700, prose(name, 10))]),
  )
  const entry = (title: string, page: number, more: string): string =>
    `<< /Title (${title}) /Parent 8 0 R /Dest [${page} 0 R /XYZ 0 0 0] ${more} >>`
  const objects = [
    '<< /Type /Outlines /First 9 0 R /Last 10 0 R /Count 2 >>',
    entry('About Ropes', 4, '/Next 10 0 R'),
    entry('About Lamps', 6, '/Prev 9 0 R'),
  ]
  const file = pdfFile(pages, { objects, catalog: '/Outlines 8 0 R' })
  expect(await headingOf(file, 'Ropes line 9')).toBe('About Ropes')
  expect(await headingOf(file, 'Lamps line 9')).toBe('rules › About Lamps')
})

it('says of pictures of pages that they are, and what to do', async () => {
  const picture = '<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /Length 0 >>\nstream\n\nendstream'
  const scanned = pdfFile([drawnPage([{ x: 50, y: 30, text: '1' }]), ''], { objects: [picture, picture] })
  const problem = await textOf(documents, 'scan.pdf', scanned).catch((error) => error)
  expect(problem).toMatchObject({ code: 'unsupported_file', message: expect.stringMatching(/scanned.*OCR/) })
  const illustrated = pdfFile([drawnPage(column(50, 700, prose('Words', 5)))], { objects: [picture, picture] })
  expect(await textOf(documents, 'book.pdf', illustrated)).toContain('Words line 4')
})
