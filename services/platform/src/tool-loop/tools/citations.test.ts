import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CitationPlacer } from './citations.ts'
import type { Passage, WrittenFile } from './hosted-tool.ts'

const club = `The workshop of the bicycle club is open on Tuesday from 5 pm to 8 pm. Members repair their bicycles for
free; guests pay 6 euros an evening. Tools are lent out against a deposit of 20 euros. The workshop is led by
Marta Keller, who has worked as a mechanic for eleven years.`
const clinic = `Willowbrook Veterinary Clinic was founded in 1987 by Dr. Harriet Lindqvist in a converted dairy barn. Today it
employs six vets and eleven nurses and treats around 9,000 animals a year.`

const passages: Passage[] = [
  { fileId: 'file-club', fileName: 'club.txt', text: club, score: 0.9, search: 0, place: 0 },
  { fileId: 'file-clinic', fileName: 'clinic.md', text: clinic, score: 0.5, search: 0, place: 1 },
]
const files: WrittenFile[] = [
  { fileId: 'file-report', path: '/mnt/data/report.csv', isImage: false },
  { fileId: 'file-chart', path: '/mnt/data/my chart.png', isImage: true },
  { fileId: 'file-shown', path: undefined, isImage: true },
]

/** The text as a client puts it together, piece by piece. */
function placed(text: string, sources: { passages?: Passage[]; files?: WrittenFile[] } = {}, size = 3) {
  const placer = new CitationPlacer({ passages: sources.passages ?? passages, files: sources.files ?? files })
  const pieces = []
  for (let at = 0; at < text.length; at += size) pieces.push(placer.push(text.slice(at, at + size)))
  pieces.push(placer.end())
  const annotations = pieces.flatMap((piece) => piece.annotations)
  expect(annotations.map(({ index }) => index)).toEqual(annotations.map((_, index) => index))
  expect(pieces.map((piece) => piece.text).join('')).toBe(placer.text)
  expect(annotations.map(({ index: _, ...annotation }) => annotation)).toEqual(placer.annotations)
  for (const { text: mark, start_index, end_index } of annotations) {
    expect(placer.text.slice(start_index, end_index)).toBe(mark)
  }
  return { text: placer.text, annotations: placer.annotations }
}

describe('citations', () => {
  it('AST-131 follow the sentences that a passage says, with the right indexes', () => {
    const { text, annotations } = placed('Guests pay 6 euros an evening. Anything else?')
    expect(text).toBe('Guests pay 6 euros an evening.【0:0†club.txt】 Anything else?')
    expect(annotations).toEqual([
      {
        type: 'file_citation',
        text: '【0:0†club.txt】',
        start_index: 30,
        end_index: 44,
        file_citation: { file_id: 'file-club' },
      },
    ])
  })

  it.each([
    ['Six euros.', 'Six euros.【0:0†club.txt】'],
    ['Marta Keller', 'Marta Keller【0:0†club.txt】'],
    ['Tuesday', 'Tuesday【0:0†club.txt】'],
    ['The cost for guests is €6 per evening.', 'The cost for guests is €6 per evening.【0:0†club.txt】'],
    [
      'It is led by an experienced mechanic, Marta Keller.',
      'It is led by an experienced mechanic, Marta Keller.【0:0†club.txt】',
    ],
    [
      'They treat 9000 animals every year.\n- Founded by Dr. Harriet Lindqvist in 1987\n- Six vets\n',
      'They treat 9000 animals every year.【0:1†clinic.md】\n- Founded by Dr. Harriet Lindqvist in 1987【0:1†clinic.md】\n- Six vets【0:1†clinic.md】\n',
    ],
  ])('find short answers and other words for the same: %s', (answer, marked) => {
    expect(placed(answer).text).toBe(marked)
  })

  it.each([
    'The text does not say.',
    'I could not find how much guests pay.',
    "The document doesn't mention who leads the workshop.",
    'Hello! How can I help you today?',
    'Paris is the capital of France.',
    'Guests pay 7 euros.',
    'It was founded in 1990.',
    'Would you like to know what guests pay in the workshop?',
    '# Guests pay 6 euros\n| Guests | pay 6 euros |\n',
    '```\nguests pay 6 euros an evening.\n```\n',
    '',
  ])('are not placed where nothing says so: %j', (answer) => {
    expect(placed(answer)).toEqual({ text: answer, annotations: [] })
  })

  it.each([
    ['a number that the passage has not', 'Guests pay 6 euros an evening and 45 euros a month.'],
    ['a number of something else', 'Guests pay 20 euros.'],
    ['another unit', 'The workshop is led by Marta Keller, a mechanic for eleven months.'],
    ['another name', 'The workshop is led by Sofia Brandt, who has worked as a mechanic for eleven years.'],
    ['the opposite', 'Guests do not pay 6 euros an evening.'],
    ['another share', 'Half of the members repair their bicycles for free.'],
    ['a number of another passage', 'Members pay 9,000 euros an evening for their bicycles.'],
  ])('are not placed where the passage says other things: %s', (_, answer) => {
    expect(placed(answer).annotations).toEqual([])
  })

  it.each([
    ['a number in words', 'Marta Keller has worked as a mechanic for 11 years.'],
    ['an item of a numbered list', '2. Guests pay 6 euros an evening.'],
    ['a unit as a sign', 'A deposit of €20 is asked for tools.'],
    ['a bound', 'Guests pay no more than 6 euros an evening.'],
  ])('are placed for the same in another form: %s', (_, answer) => {
    expect(placed(answer).annotations).toMatchObject([{ file_citation: { file_id: 'file-club' } }])
  })

  it('do not take the number of an item for one that it tells', () => {
    const text = '2. Accounts. Turnover was high.\n3. Supplier of transducers. Kestrel raises prices by 14 %.'
    const minutes = [{ fileId: 'file-m', fileName: 'minutes.txt', text, score: 1, search: 0, place: 0 }]
    const answer = 'Kestrel is the supplier of transducers for 3 years.'
    expect(placed(answer, { passages: minutes }).annotations).toEqual([])
    expect(placed('Kestrel raises prices by 14 %.', { passages: minutes }).annotations).toHaveLength(1)
  })

  it('know a passage by its heading and its file too', () => {
    const manual = 'The lamp blinks red twice: the cells are nearly empty. They last about 18 months.'
    const stations = ['TW-100', 'TW-200'].map((name, place) => ({
      ...{ fileId: `file-${name}`, fileName: `${name}.md`, heading: `${name} weather station › Power` },
      ...{ text: place === 0 ? manual : manual.replace('18', '40'), score: 0.5, search: 0, place },
    }))
    const cited = (answer: string) => placed(answer, { passages: stations }).annotations.map(({ text }) => text)
    expect(cited('In the TW-100 the cells last about 18 months.')).toEqual(['【0:0†TW-100.md】'])
    expect(cited('In the TW-200 the cells last about 40 months.')).toEqual(['【0:1†TW-200.md】'])
    expect(cited('In the TW-200 the cells last about 18 months.')).toEqual([])
  })

  it('of the model itself are annotated, and not doubled', () => {
    const answer =
      'Guests pay 6 euros.【1†source】 Tools need a deposit of 20 euros. 【0:0†club.txt】 The clinic has six vets【clinic】.'
    const { text, annotations } = placed(answer)
    expect(text).toBe(`${answer}【0:1†clinic.md】`)
    expect(annotations.map(({ text: mark }) => mark)).toEqual(['【1†source】', '【0:0†club.txt】', '【0:1†clinic.md】'])
    expect(
      annotations.map((annotation) => annotation.type === 'file_citation' && annotation.file_citation.file_id),
    ).toEqual(['file-club', 'file-club', 'file-clinic'])
  })

  it('are found in languages without spaces', () => {
    const text = '図書館は月曜日に閉館します。貸出期間は14日間です。'
    const library = [{ fileId: 'file-l', fileName: 'library.txt', text, score: 1, search: 0, place: 0 }]
    const answer = '貸出期間は14日間です。他に質問はありますか。'
    expect(placed(answer, { passages: library }).text).toBe(
      '貸出期間は14日間です。【0:0†library.txt】他に質問はありますか。',
    )
  })

  it('go out with letters as they come', () => {
    const placer = new CitationPlacer({ passages, files })
    expect(placer.push('Guests pa').text).toBe('Guests pa')
    expect(placer.push('y 6 euros an evening.').text).toBe('y 6 euros an evening.')
    expect(placer.push(' And')).toMatchObject({
      text: '【0:0†club.txt】 And',
      annotations: [{ index: 0, start_index: 30 }],
    })
    expect(placer.push(' / or s')).toMatchObject({ text: ' / or ' })
    expect(placer.push('o on')).toMatchObject({ text: 'so on' })
  })
})

describe('paths of written files', () => {
  it('are annotated where the answer names them', () => {
    const { text, annotations } = placed(
      'See [report](sandbox:/mnt/data/report.csv) or /mnt/data/report.csv. Shown: ![chart](sandbox:/mnt/data/my%20chart.png)',
    )
    expect(text).not.toContain('【')
    expect(annotations).toMatchObject([
      {
        type: 'file_path',
        text: 'sandbox:/mnt/data/report.csv',
        start_index: 13,
        file_path: { file_id: 'file-report' },
      },
      { type: 'file_path', text: '/mnt/data/report.csv', file_path: { file_id: 'file-report' } },
      { type: 'file_path', text: 'sandbox:/mnt/data/my%20chart.png', file_path: { file_id: 'file-chart' } },
    ])
  })

  it('are not mistaken for longer ones', () => {
    const answer = 'Not /mnt/data/report.csv2, /mnt/data/report.csv.gz nor /mnt/data/other.csv'
    expect(placed(answer)).toEqual({ text: answer, annotations: [] })
  })

  it('mean the file that was written last', () => {
    const again = [...files, { fileId: 'file-newer', path: '/mnt/data/report.csv', isImage: false }]
    expect(placed('/mnt/data/report.csv', { files: again }).annotations).toMatchObject([
      { file_path: { file_id: 'file-newer' } },
    ])
  })
})

describe('any text', () => {
  const word = fc.oneof(
    fc.constantFrom(
      ...'Guests pay 6 euros. six vets 1987 Marta Keller\n \n\n . ? ! ``` ```python | # - Dr. sandbox: / 😀'.split(' '),
      ' ',
      '/mnt/data/report.csv',
      'sandbox:/mnt/data/my chart.png',
      '/mnt/da',
      '【',
      '】',
      '【1†club.txt】',
      '【0:1†source】',
      '【9†x】',
    ),
    fc.string({ unit: 'grapheme', maxLength: 6 }),
  )
  const answer = fc.array(word, { maxLength: 40 }).map((words) => words.join(' '))

  it('comes out as it went in, but for the marks, and every index points at its mark', () => {
    fc.assert(
      fc.property(answer, fc.integer({ min: 1, max: 9 }), (text, size) => {
        const { text: marked, annotations } = placed(text, {}, size)
        // Ours are those that the text did not have.
        let at = 0
        let rest = ''
        let input = text
        for (const { text: mark, start_index, end_index } of annotations) {
          const between = marked.slice(at, start_index)
          expect(input.startsWith(between)).toBe(true)
          input = input.slice(between.length)
          rest += between
          if (input.startsWith(mark)) {
            input = input.slice(mark.length)
            rest += mark
          }
          at = end_index
        }
        expect(rest + marked.slice(at)).toBe(text)
      }),
      { numRuns: 500 },
    )
  })

  it('comes out the same however it is cut into pieces', () => {
    fc.assert(
      fc.property(answer, fc.integer({ min: 1, max: 9 }), (text, size) => {
        expect(placed(text, {}, size)).toEqual(placed(text, {}, 1_000_000))
      }),
    )
  })

  it('is read however long its sentences are, and however little they end', () => {
    const long = 'guests do not pay euros '.repeat(15_000)
    const placer = new CitationPlacer({ passages, files })
    placer.push(long)
    placer.push('【'.repeat(5_000))
    placer.push('。'.repeat(5_000))
    placer.end()
    expect(placer.text).toContain(long)
  })
})
