// What is searched and asked: our own documentation set, and judged public collections where a folder of them is given.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createDocuments } from '@atoll/documents/create-documents'
import { silentLog } from '@atoll/testkit/silent-log'

/** Near: people who know the products ask so. Far: hardly a word is in the passage too. */
type Wording = 'near' | 'far'

export interface Question {
  text: string
  /** Places of files. */
  right: number[]
  wording?: Wording
  /** Where a passage is looked for and not a file: what it must hold. */
  passage?: string
}

export interface Collection {
  name: string
  files: { name: string; text: string }[]
  /** What BM25 and vectors alone are given; the same number of texts as files, unless passages are looked for. */
  documents: string[]
  questions: Question[]
  chunking?: { maxTokens: number; overlapTokens: number }
}

/** A row of questions.tsv. */
export interface DocumentationQuestion {
  wording: Wording
  file: string
  passage: string
  question: string
  /** What somebody says who has read the passage; empty where only the search is tried. */
  answer: string
  /** Something like it that no file says; may be empty. */
  wrong: string
}

const documentation = fileURLToPath(new URL('./documentation', import.meta.url))
export const smallChunks = { maxTokens: 100, overlapTokens: 50 }

export function documentationFiles(): Collection['files'] {
  const folder = join(documentation, 'files')
  return readdirSync(folder)
    .sort()
    .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }))
}

export function documentationQuestions(): DocumentationQuestion[] {
  const [, ...lines] = readFileSync(join(documentation, 'questions.tsv'), 'utf8').trimEnd().split('\n')
  return lines.map((line) => {
    const [wording = 'far', file = '', passage = '', question = '', answer = '', wrong = ''] = line.split('\t')
    return { wording: wording as Wording, file, passage, question, answer, wrong }
  })
}

/** Asked for whole files, with the chunks that files are cut into by default. */
export async function wholeDocumentation(): Promise<Collection> {
  const files = documentationFiles()
  const documents = (await chunksOf(files, { maxTokens: 4_000, overlapTokens: 0 })).map((chunks) => chunks.join('\n'))
  const questions = documentationQuestions().map(({ question, wording, file }) => {
    return { text: question, wording, right: [files.findIndex(({ name }) => name === file)] }
  })
  return { name: 'documentation', files, documents, questions }
}

/** Asked for passages, in small chunks. */
export async function documentationPassages(): Promise<Collection> {
  const files = documentationFiles()
  const documents = (await chunksOf(files, smallChunks)).flat()
  const questions = documentationQuestions().map(({ question, wording, passage }) => {
    return { text: question, wording, right: [], passage }
  })
  return { name: 'its passages', files, documents, questions, chunking: smallChunks }
}

async function chunksOf(
  files: Collection['files'],
  sizes: { maxTokens: number; overlapTokens: number },
): Promise<string[][]> {
  const documents = createDocuments({ log: silentLog })
  const { signal } = new AbortController()
  const cut: string[][] = []
  try {
    for (const { name, text } of files) {
      const bytes = Buffer.from(text)
      const source = {
        filename: name,
        bytes: bytes.length,
        read: async function* () {
          yield bytes
        },
      }
      const chunks: string[] = []
      for await (const chunk of documents.chunks(source, sizes, { signal, turn: 'bench' })) chunks.push(chunk.text)
      cut.push(chunks)
    }
  } finally {
    await documents.close()
  }
  return cut
}

/** `NAME.collection.json`: { name, documents: [{ title, text }], questions: [{ text, right: [place] }] }. */
export function publicCollections(folder: string, names: readonly string[] | undefined): Collection[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.collection.json'))
  const wanted = files.filter((file) => names === undefined || names.some((name) => file.startsWith(`${name}.`)))
  return wanted.sort().map((file) => {
    const read = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {
      name: string
      documents: { title: string; text: string }[]
      questions: Question[]
    }
    const documents = read.documents.map(({ title, text }) => (title === '' ? text : `${title}\n${text}`))
    const texts = documents.map((text, place) => ({ name: `${place}.txt`, text }))
    return { name: read.name, files: texts, documents, questions: read.questions }
  })
}
