// Files made to hurt, and processes that die: the server goes on, and so does the next file.
import { Buffer } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import type { DocumentProblem, DocumentSource, Documents } from './documents.ts'
import { crowdedZip, repeatedDrawing, zipBomb } from './testing/hostile-files.ts'
import { docxFile, epubFile, wordParagraph } from './testing/office-files.ts'
import { pdfFile } from './testing/pdf-file.ts'
import { automatic, chunksOf, madeFile, testDocuments, textOf } from './testing/reading.ts'
import { fileOf } from './testing/source.ts'

const megabyte = 1024 ** 2
/** Reading is behind everything else on the machine: what is tested is how it ends, not when. */
const endsMs = 900_000
/** Far more than is read at once, and the most that its reader may have: it takes 115 MB for the short one. */
const [lineMegabytes, lineMemoryMegabytes] = process.env.ATOLL_TEST_LONG === '1' ? [100, 300] : [30, 170]
const documents = testDocuments({ processes: 1 })
const never = new AbortController().signal
const turn = 'someone'
/** A piece of a comment without an end. */
const endless = Buffer.from(`<!-- ${'never ends '.repeat(100_000)}`)

async function problemOf(source: DocumentSource, reader: Documents = documents): Promise<DocumentProblem> {
  return chunksOf(reader, source).then(
    () => expect.fail('was read'),
    (problem) => problem,
  )
}

const expectAlive = async (reader: Documents = documents): Promise<void> =>
  expect(await textOf(reader, 'next.txt', 'The next file.')).toBe('The next file.')

async function peakBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) * 1024
}

async function untilGone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0)
    } catch {
      return
    }
    await setTimeout(10)
  }
}

describe('a hostile file', { timeout: endsMs }, () => {
  it.each([{ isHonest: true }, { isHonest: false }])('that unpacks to 10 GB is refused early (%o)', async (options) => {
    const bomb = zipBomb(10_240, options)
    expect(bomb.length).toBeLessThan(12 * megabyte)
    const problem = await problemOf(fileOf('bomb.docx', bomb))
    expect(problem).toMatchObject({ code: 'invalid_file', message: expect.stringContaining('unpacks') })
    await expectAlive()
    expect(await peakBytes(documents.pids[0]!)).toBeLessThan(300 * megabyte)
  })

  it('that unpacks to 100 MB in small parts, or has the same part again and again, is refused', async () => {
    const chapter = `<p>word${' '.repeat(megabyte)}</p>`
    const parts = epubFile(
      'Bomb',
      Array.from({ length: 100 }, () => chapter),
    )
    expect(parts.length).toBeLessThan(megabyte / 4)
    expect(await problemOf(fileOf('parts.epub', parts))).toMatchObject({ message: expect.stringContaining('unpacks') })
    const again = epubFile('Again', [chapter], 100)
    expect(again.length).toBeLessThan(megabyte / 64)
    expect(await problemOf(fileOf('again.epub', again))).toMatchObject({ message: expect.stringContaining('unpacks') })
  })

  it('with 100,000 entries is refused', async () => {
    const problem = await problemOf(fileOf('crowd.docx', crowdedZip(100_000)))
    expect(problem).toMatchObject({ code: 'invalid_file', message: expect.stringContaining('entries') })
  })

  it('of entities that explode stays small', async () => {
    const laughs = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;"><!ENTITY c "&b;&b;&b;">]>'
    const document = docxFile('', {
      'word/document.xml': `${laughs}<w:document>${wordParagraph('&c; ha')}</w:document>`,
    })
    expect(await textOf(documents, 'laughs.docx', document)).toBe('&c; ha')
    expect((await textOf(documents, 'laughs.html', `${laughs}<p>&c; ha</p>`)).length).toBeLessThan(100)
  })

  it('of deep markup is read, or refused when it is beyond all measure', async () => {
    const nested = (depth: number): string => `${'<div>'.repeat(depth)}deep inside${'</div>'.repeat(depth)}`
    expect(await textOf(documents, 'deep.html', nested(1_500))).toBe('deep inside')
    expect(await problemOf(fileOf('deeper.html', nested(1_000_000)))).toMatchObject({ code: 'invalid_file' })
    const unending = madeFile('comment.html', endless, 80)
    expect(await problemOf(unending)).toMatchObject({ code: 'invalid_file' })
  })

  it('of messages inside messages without end, or of headers alone, is read or refused', async () => {
    const nested = (depth: number): string => {
      const open = (index: number): string => `Content-Type: multipart/mixed; boundary=b${index}\n\n--b${index}\n`
      return `Subject: deep\n${Array.from({ length: depth }, (_, index) => open(index)).join('')}\nInside.`
    }
    expect(await textOf(documents, 'mail.eml', nested(15))).toBe('Subject: deep\n\nInside.')
    expect(await problemOf(fileOf('mail.eml', nested(100_000)))).toMatchObject({ code: 'invalid_file' })
    const forwarded = `Subject: x\n${'Content-Type: message/rfc822\n\n'.repeat(100_000)}Inside.`
    expect(await textOf(documents, 'mail.eml', forwarded)).toContain('Subject: x')
    const headers = Buffer.from(`X-Long: ${'a'.repeat(100)}\n`.repeat(10_000))
    expect(await problemOf(madeFile('headers.eml', headers, 20))).toMatchObject({ code: 'invalid_file' })
    await expectAlive()
  })

  it('of headings and blocks without end is read', async () => {
    const html = '<h1>a</h1><h2>b</h2><pre>c</pre><ul><li>d</ul>'.repeat(200)
    const markdown = '# a\n## b\n```\nc\n```\n- d\n\n|a|\n|-|\n\n'.repeat(200)
    expect((await chunksOf(documents, madeFile('h.html', Buffer.from(html), 30))).length).toBeGreaterThan(90)
    expect((await chunksOf(documents, madeFile('h.md', Buffer.from(markdown), 30))).length).toBeGreaterThan(90)
    await expectAlive()
  })

  it(`of ${lineMegabytes} MB in a single line is read with little memory`, async () => {
    const words = Buffer.from('the harbour has seven ships and a crane that never rests '.repeat(1_149))
    const line = madeFile('line.txt', words, Math.ceil((lineMegabytes * megabyte) / words.length))
    const reader = testDocuments({ processes: 1, textTokens: 100_000_000 })
    let count = 0
    let length = 0
    for await (const { text } of reader.chunks(line, { maxTokens: 4_096, overlapTokens: 0 }, { signal: never, turn })) {
      count++
      length += text.length
    }
    expect(count).toBeGreaterThan(40 * lineMegabytes)
    expect(line.bytes - length).toBeLessThanOrEqual(1)
    expect(await peakBytes(reader.pids[0]!)).toBeLessThan(lineMemoryMegabytes * megabyte)
  })

  it('that keeps the reader busy without end is given up', async () => {
    const impatient = testDocuments({ processes: 1, silenceMs: 2_000 })
    const slow = pdfFile([repeatedDrawing('(a) Tj 0 0 Td '.repeat(65_536), 1_000)])
    const problem = await problemOf(fileOf('slow.pdf', slow), impatient)
    expect(problem).toMatchObject({ code: 'invalid_file', message: expect.stringContaining('too long') })
    // The next reader has as little patience, and a busy machine may need more for its start.
    await vi.waitFor(() => expectAlive(impatient), endsMs)
  })

  it('that is slow for all its signs of life is given up too', async () => {
    const impatient = testDocuments({ processes: 1, workMs: 2_000 })
    const slow = fileOf('slow.html', `${'<b>'.repeat(1_900)}${'</i>'.repeat(4_000_000)}`)
    const problem = await problemOf(slow, impatient)
    expect(problem).toMatchObject({ code: 'invalid_file', message: expect.stringContaining('too long') })
  })

  it.each([
    ['the heap', { heapMegabytes: 48 }, madeFile('greedy.html', endless, 55)],
    [
      'all else',
      { memoryMegabytes: 1_200 },
      fileOf('greedy.pdf', pdfFile([repeatedDrawing(' '.repeat(megabyte), 10_240)])),
    ],
  ])('that needs more memory than there is for %s ends its own process only', async (_, limits, greedy) => {
    const small = testDocuments({ processes: 1, silenceMs: endsMs, ...limits })
    const problem = await problemOf(greedy, small)
    expect(problem).toMatchObject({ code: 'invalid_file', message: expect.stringContaining('memory') })
    await expectAlive(small)
  })

  it('with any byte wrong is read or refused, never more', async () => {
    const files = {
      pdf: pdfFile(['Some text on a page.', 'And another.']),
      docx: docxFile(wordParagraph('Some text.')),
    }
    for (const [extension, file] of Object.entries(files)) {
      for (let place = 0; place < file.length; place += 17) {
        const broken = Buffer.from(file)
        broken[place]! ^= 1 << (place % 8)
        const outcome = await textOf(documents, `broken.${extension}`, broken).catch((problem) => problem.code)
        expect(outcome).not.toBe('server_error')
      }
    }
  })
})

describe('a reading process', { timeout: endsMs }, () => {
  it('that dies fails its file with server_error, and the next file is read by a new one', async () => {
    const chunks = documents.chunks(madeFile('long.txt', Buffer.from('word '.repeat(50_000)), 1_000), automatic, {
      signal: never,
      turn,
    })
    const reading = chunks[Symbol.asyncIterator]()
    await reading.next()
    const [pid] = documents.pids
    process.kill(pid!, 'SIGKILL')
    const rest = async (): Promise<void> => {
      while (!(await reading.next()).done);
    }
    await expect(rest()).rejects.toMatchObject({ code: 'server_error' })
    await expectAlive()
    expect(documents.pids).not.toContain(pid)
  })

  it('stops when it is told to, in the middle of anything', async () => {
    const stop = new AbortController()
    const long = madeFile('long.txt', Buffer.from('word '.repeat(50_000)), 2_000)
    const reading = documents.chunks(long, automatic, { signal: stop.signal, turn })[Symbol.asyncIterator]()
    await reading.next()
    const [pid] = documents.pids
    stop.abort(new Error('no longer wanted'))
    const rest = async (): Promise<void> => {
      while (!(await reading.next()).done);
    }
    await expect(rest()).rejects.toThrow('no longer wanted')
    await untilGone(pid!)
    await expectAlive()
  })

  it('is free again when its reader leaves early', async () => {
    for await (const { text } of documents.chunks(
      madeFile('a.txt', Buffer.from('word '.repeat(9_000)), 500),
      automatic,
      {
        signal: never,
        turn,
      },
    )) {
      expect(text).toContain('word')
      break
    }
    await expectAlive()
  })

  it('is one of few: further files wait for their turn', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, index) => textOf(documents, `${index}.txt`, `File ${index}.`)),
    )
    expect(outcomes).toEqual(Array.from({ length: 8 }, (_, index) => `File ${index}.`))
    expect(documents.pids).toHaveLength(1)
  })

  it('ends when there is nothing to do, and when the server closes', async () => {
    const brief = testDocuments({ processes: 1, idleMs: 20, lastIdleMs: 20 })
    await expectAlive(brief)
    const [pid] = brief.pids
    await untilGone(pid!)
    expect(brief.pids).toEqual([])
    await expectAlive(brief)
    const open = brief.chunks(madeFile('a.txt', Buffer.from('word '.repeat(9_000)), 500), automatic, {
      signal: never,
      turn,
    })
    const reading = open[Symbol.asyncIterator]()
    await reading.next()
    await brief.close()
    const rest = async (): Promise<void> => {
      while (!(await reading.next()).done);
    }
    await expect(rest()).rejects.toMatchObject({
      code: 'server_error',
      message: expect.stringContaining('shutting down'),
    })
    await expect(chunksOf(brief, fileOf('b.txt', 'b'))).rejects.toMatchObject({ code: 'server_error' })
  })

  it('fails with server_error when the stored bytes are missing or short', async () => {
    const source = fileOf('a.txt', 'some text')
    const missing = {
      ...source,
      // biome-ignore lint/correctness/useYield: it fails before.
      async *read(): AsyncGenerator<Uint8Array> {
        throw new Error('no such blob')
      },
    }
    expect(await problemOf(missing)).toMatchObject({ code: 'server_error' })
    expect(await problemOf({ ...source, bytes: 100 })).toMatchObject({ code: 'server_error' })
    await expectAlive()
  })
})
