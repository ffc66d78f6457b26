// Texts that others labelled by rules of their own; they are files named on the command line, whose licences CARD.md
// tells.
import { readFileSync } from 'node:fs'
import { parseCsv } from './csv.ts'

/** A missing label means: not asked, or not clear. */
export interface ForeignText {
  text: string
  labels: Record<string, 0 | 1>
}

const maxLetters = 300
const most = { hateful: 1_430, others: 2_200, sexist: 2_600 }

/** t-davidson/hate-speech-and-offensive-language: labeled_data.csv. */
export function postsWithHate(file: string): ForeignText[] {
  const posts = parseCsv(readFileSync(file, 'utf8'))
  const ofClass = (wanted: string, count: number, labels: ForeignText['labels']): ForeignText[] =>
    someOf(
      posts.filter((post) => post.class === wanted),
      count,
    ).map(({ tweet = '' }) => ({ text: plain(tweet), labels }))
  return [
    ...ofClass('0', most.hateful, { hateful: 1 }),
    ...ofClass('1', most.others, { hateful: 0, coarse: 1 }),
    ...ofClass('2', most.others, { hateful: 0, coarse: 0 }),
  ]
}

/** rewire-online/edos: edos_labelled_aggregated.csv. */
export function postsWithSexism(file: string): ForeignText[] {
  const posts = parseCsv(readFileSync(file, 'utf8'))
  const isSexist = (post: Record<string, string>): boolean => post.label_sexist === 'sexist'
  const chosen = [
    ...someOf(posts.filter(isSexist), most.sexist),
    ...someOf(
      posts.filter((post) => !isSexist(post)),
      most.sexist,
    ),
  ]
  return chosen.map((post) => {
    const { text = '', label_category = '' } = post
    const is = (condition: boolean): 0 | 1 => (condition ? 1 : 0)
    return {
      text: plain(text),
      labels: {
        sexist: is(isSexist(post)),
        threatening: is(label_category.startsWith('1')),
        contemptuous: is(label_category.startsWith('2')),
      },
    }
  })
}

/** From all over the list. */
const someOf = <T>(list: readonly T[], count: number): T[] =>
  list.filter((_, at) => Math.floor(((at + 1) * count) / list.length) > Math.floor((at * count) / list.length))

/** As people type it: without names, links and marks of the site. */
function plain(text: string): string {
  return text
    .replace(/&#\d+;|&(amp|lt|gt|quot);/g, (mark) => marks[mark] ?? ' ')
    .replace(/^[!"\s]*RT @\w+:?\s*/, '')
    .replace(/https?:\/\/\S+|@\w+|\[USER\]|\[URL\]/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[\s"!]+|[\s"!]+$/g, '')
    .slice(0, maxLetters)
}

const marks: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' }
