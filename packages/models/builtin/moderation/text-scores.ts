// From what the heads say of each piece of a text to the scores of the categories.
import { type ModerationCategory, moderationCategories } from '../../moderate.ts'
import type { HeadScores, TextHead } from './text-heads.ts'

export type CategoryScores = Record<ModerationCategory, number>

/** A category is at least as likely as the kinds of it. */
const kindsOf: Partial<Record<ModerationCategory, TextHead[]>> = {
  harassment: ['harassment', 'harassment/threatening'],
  hate: ['hate', 'hate/threatening'],
  illicit: ['illicit', 'illicit/violent'],
  'self-harm': ['self-harm', 'self-harm/intent', 'self-harm/instructions'],
  violence: ['violence', 'violence/graphic'],
}

/** The highest of all pieces. */
export function textScores(pieces: readonly HeadScores[]): CategoryScores {
  const scores = noScores()
  for (const piece of pieces) {
    for (const category of moderationCategories) scores[category] = Math.max(scores[category], scoreOf(category, piece))
  }
  return scores
}

const noScores = (): CategoryScores =>
  Object.fromEntries(moderationCategories.map((category) => [category, 0])) as CategoryScores

function scoreOf(category: ModerationCategory, piece: HeadScores): number {
  // No text of this kind was trained on: it is what is sexual and speaks of children.
  if (category === 'sexual/minors') return Math.min(piece.sexual, piece['under-age'])
  return Math.max(...(kindsOf[category] ?? [category]).map((head) => piece[head]))
}
