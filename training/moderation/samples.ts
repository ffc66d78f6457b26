// The samples of every source, each with what is known about it. Our own sentences are beside this file; the others
// are files named on the command line, whose licences CARD.md tells.
import { readFileSync } from 'node:fs'
import type { TextHead } from '@atoll/models/builtin/moderation/text-heads'
import { parseCsv } from './csv.ts'
import { harmless, type Labels, type Sample } from './labels.ts'

const is = (...heads: TextHead[]): Labels => Object.fromEntries(heads.map((head) => [head, 1]))
const unknown = (labels: Labels, ...heads: TextHead[]): Labels =>
  Object.fromEntries(Object.entries(labels).filter(([head]) => !heads.includes(head as TextHead)))

/** What a line of each file of ours is. */
const ownFiles: Record<string, Labels> = {
  threats: { ...harmless, ...is('harassment', 'harassment/threatening', 'violence') },
  insults: { ...harmless, ...is('harassment') },
  illicit: { ...harmless, ...is('illicit') },
  'illicit-violent': unknown({ ...harmless, ...is('illicit', 'illicit/violent') }, 'violence', 'self-harm'),
  'self-harm-intent': unknown({ ...harmless, ...is('self-harm', 'self-harm/intent') }, 'violence', 'violence/graphic'),
  'self-harm-instructions': unknown(
    { ...harmless, ...is('self-harm', 'self-harm/instructions') },
    'self-harm/intent',
    'violence',
    'illicit',
  ),
  violence: { ...harmless, ...is('violence') },
  graphic: { ...harmless, ...is('violence', 'violence/graphic') },
  sexual: { ...harmless, ...is('sexual'), 'under-age': 0 },
  near: harmless,
  everyday: harmless,
  requests: harmless,
  'under-age': { 'under-age': 1 },
  adult: { 'under-age': 0 },
}

export function ownSamples(): Sample[] {
  return Object.entries(ownFiles).flatMap(([name, labels]) =>
    ownLines(name).map((text) => ({ text, labels, source: 'own', weight: 1 })),
  )
}

export const ownLines = (name: string): string[] =>
  readFileSync(new URL(`./sentences/${name}.txt`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '')

const moderationLetters: Record<string, TextHead> = {
  S: 'sexual',
  H: 'hate',
  V: 'violence',
  HR: 'harassment',
  SH: 'self-harm',
  H2: 'hate/threatening',
  V2: 'violence/graphic',
}

/** openai/moderation-api-release: one JSON object a line. */
export function moderationSamples(file: string): Sample[] {
  return jsonLines(file).map((row) => {
    const labels: Labels = { illicit: 0, 'illicit/violent': 0 }
    for (const [letter, head] of Object.entries(moderationLetters)) {
      if (row[letter] === 0 || row[letter] === 1) labels[head] = row[letter]
    }
    // What follows from the others: there is no threat without harassment, no intent without self-harm.
    if (labels.harassment === 0) labels['harassment/threatening'] = 0
    if (labels['self-harm'] === 0) Object.assign(labels, { 'self-harm/intent': 0, 'self-harm/instructions': 0 })
    if (row.S3 === 0 && row.S === 1) labels['under-age'] = 0
    return { text: String(row.prompt), labels, source: 'moderation', weight: 1 }
  })
}

/**
 * paul-rottger/hatecheck-data: test_suite_cases.csv. Short and alike as its sentences are, they teach nothing but hate:
 * other heads would learn to tell them apart by their form.
 */
export function hateCheckSamples(file: string): Sample[] {
  return parseCsv(readFileSync(file, 'utf8')).map(({ test_case = '', label_gold, functionality = '' }) => {
    const labels: Labels = { hate: label_gold === 'hateful' ? 1 : 0 }
    labels['hate/threatening'] = functionality.startsWith('threat_') ? 1 : 0
    if (functionality === 'target_indiv_nh') labels.harassment = 1
    if (/^(ident|target_obj|profanity_nh)/.test(functionality)) labels.harassment = 0
    return { text: test_case.trim(), labels, source: 'hatecheck', weight: 0.15 }
  })
}

/** surge-ai/toxicity: toxicity_en.csv. Toxic there is mostly insult. */
export function toxicitySamples(file: string): Sample[] {
  return parseCsv(readFileSync(file, 'utf8')).map(({ text = '', is_toxic }) => ({
    text,
    labels: is_toxic === 'Toxic' ? { ...is('harassment'), 'self-harm': 0, 'self-harm/intent': 0 } : harmless,
    source: 'toxicity',
    weight: is_toxic === 'Toxic' ? 0.3 : 0.5,
  }))
}

/** yizhongw/self-instruct: seed_tasks.jsonl, requests of every kind. */
export function requestSamples(file: string): Sample[] {
  return jsonLines(file).map(({ instruction }) => ({
    text: String(instruction),
    labels: harmless,
    source: 'requests',
    weight: 1,
  }))
}

const jsonLines = (file: string): Record<string, unknown>[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
