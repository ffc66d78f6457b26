// Chunks know where in their document they stand.
import { describe, expect, it } from 'vitest'
import { chunksOf, testDocuments } from './testing/reading.ts'
import { fileOf } from './testing/source.ts'

const documents = testDocuments()
const small = { maxTokens: 64, overlapTokens: 0 }
/** A paragraph that fills small chunks by itself. */
const filling = (about: string): string => `${Array.from({ length: 120 }, () => about).join(' ')}.`

/** The heading of the last chunk with these words. */
async function headingOf(filename: string, content: string | Uint8Array, words: string): Promise<string | undefined> {
  const chunks = await chunksOf(documents, fileOf(filename, content), { sizes: small })
  return chunks.findLast(({ text }) => text.includes(words))?.heading
}

const handbook = `# Employee handbook

${filling('welcome')}

## Leave

${filling('holidays')}

### Parental *leave*

${filling('children')}

## Travel

${filling('trains')}
`

describe('the heading of a chunk', () => {
  it('is the title and the headings it stands under, in Markdown', async () => {
    const of = (words: string): Promise<string | undefined> => headingOf('docs/hb_2024.md', handbook, words)
    expect(await of('welcome')).toBe('Employee handbook')
    expect(await of('holidays')).toBe('Employee handbook › Leave')
    expect(await of('children')).toBe('Employee handbook › Leave › Parental leave')
    expect(await of('trains')).toBe('Employee handbook › Travel')
  })

  it('leaves the text as it is in the file', async () => {
    const chunks = await chunksOf(documents, fileOf('hb.md', handbook), { sizes: small })
    expect(chunks.map(({ text }) => text).join('')).toBe(handbook)
  })

  it('begins with the name of the file where the document has no title of its own', async () => {
    const chapters = `# One\n\n${filling('first')}\n\n# Two\n\n${filling('second')}\n`
    expect(await headingOf('travel_policy-2024.md', chapters, 'second')).toBe('travel policy 2024 › Two')
    expect(await headingOf('Travel policy v1.2.txt', filling('ships'), 'ships')).toBe('Travel policy v1.2')
    expect(await headingOf('src/main.py', 'print("ahoy")', 'ahoy')).toBe('main')
  })

  it('takes the title from what stands before the text', async () => {
    const page = `---\nlayout: page\ntitle: "Sea charts"\n---\n\nWords.\n\nDepths\n------\n\n${filling('fathoms')}\n`
    expect(await headingOf('x.md', page, 'fathoms')).toBe('Sea charts › Depths')
  })

  it('does not take comments in code for headings', async () => {
    const code = `# Shell\n\n\`\`\`sh\n# not a heading\nls\n\`\`\`\n\n- item\n  \`\`\`sh\n  # nor this\n  \`\`\`\n\n${filling('afterwards')}\n`
    expect(await headingOf('x.md', code, 'afterwards')).toBe('Shell')
  })

  it('is found in web pages', async () => {
    const page = `<html><head><title>Ports</title></head><body><h1>Ports</h1><p>${filling('harbours')}</p>
      <h2>The <em>crane</em>\n is tall</h2><p>${filling('lifting')}</p><h2></h2><p>${filling('lowering')}</p></body></html>`
    expect(await headingOf('p.html', page, 'harbours')).toBe('Ports')
    expect(await headingOf('p.html', page, 'lifting')).toBe('Ports › The crane is tall')
    expect(await headingOf('p.html', page, 'lowering')).toBe('Ports › The crane is tall')
  })

  it('is found in plain text where it is sure', async () => {
    const text = [
      'Harbour rules\n=============\n',
      filling('mooring'),
      'Cranes\n------\n',
      filling('hooks'),
      '3.2 Night shifts\n',
      filling('lamps'),
      '4. bring a coat\n',
      filling('wool'),
      'Not underlined: a line across the page\n-----\n',
      filling('rope'),
    ].join('\n\n')
    expect(await headingOf('rules.txt', text, 'mooring')).toBe('Harbour rules')
    expect(await headingOf('rules.txt', text, 'hooks')).toBe('Harbour rules › Cranes')
    expect(await headingOf('rules.txt', text, 'lamps')).toBe('Harbour rules › 3.2 Night shifts')
    expect(await headingOf('rules.txt', text, 'wool')).toBe('Harbour rules › 3.2 Night shifts')
    expect(await headingOf('rules.txt', text, 'rope')).toBe('Harbour rules › 3.2 Night shifts')
  })

  it('tells the columns of a table that goes on from the chunk before', async () => {
    const rows = Array.from({ length: 60 }, (_, index) => `| ship ${index} | ${index} m |\n`)
    const table = `# Fleet\n\n| name | length |\n|---|---|\n${rows.join('')}`
    expect(await headingOf('fleet.md', table, 'ship 50')).toBe('Fleet › name | length')
    expect(await headingOf('fleet.csv', `name,length\n${rows.join('')}`, 'ship 50')).toBe('fleet › name,length')
    const html = `<h1>Fleet</h1><table><tr><th>name</th><th>length</th></tr>${rows
      .map((row) => `<tr><td>${row.split('|')[1]}</td><td>${row.split('|')[2]}</td></tr>`)
      .join('')}</table>`
    expect(await headingOf('fleet.html', html, 'ship 50')).toBe('Fleet › name | length')
  })

  it('is short, however long the headings are', async () => {
    const long = `# ${'word '.repeat(500)}\n\n${filling('ships')}\n`
    expect((await headingOf('a.md', long, 'ships'))?.length).toBeLessThan(130)
    expect(await headingOf('a.html', `<h1>${'word '.repeat(90_000)}</h1>`, 'word')).toBe('a')
  })
})

describe('a chunk is not cut', () => {
  const sizes = { maxTokens: 100, overlapTokens: 50 }
  const texts = async (filename: string, content: string): Promise<string[]> =>
    (await chunksOf(documents, fileOf(filename, content), { sizes })).map(({ text }) => text)
  const intro = 'Some words that stand before it and fill the better part of a chunk. '.repeat(4)

  it.each([
    ['a table', `| name | length |\n|---|---|\n${'| Anna | 20 m |\n'.repeat(8)}`],
    ['a list', '- mooring lines are checked\n'.repeat(10)],
    ['code', `\`\`\`js\n${'const ship = harbour.next()\n'.repeat(9)}\`\`\`\n`],
  ])('inside %s that fits into one', async (_, block) => {
    for (let more = 0; more < 12; more++) {
      const content = `${intro}${'and more '.repeat(more)}\n\n${block}\n${intro}`
      const found = await texts('a.md', content)
      expect(found.filter((text) => text.includes(block.trimEnd()))).toHaveLength(1)
    }
  })

  it('inside a row of a table that does not fit', async () => {
    const rows = Array.from({ length: 40 }, (_, index) => `| A ship. Its number. Is. | ${index} |\n`)
    for (const text of await texts('a.md', `| name | length |\n|---|---|\n${rows.join('')}`))
      expect(text).toMatch(/^\|.*\|\n$/s)
  })

  it('right behind a heading', async () => {
    const content = Array.from({ length: 30 }, (_, index) => `## Part ${index}\n\n${'Words of it. '.repeat(index)}\n`)
    for (const text of await texts('a.md', content.join('\n'))) expect(text).not.toMatch(/## Part \d+\s*$/)
  })
})
