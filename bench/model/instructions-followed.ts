// IFEval: prompts with rules that a program can check. A prompt counts when all of its rules are kept.
type Values = Record<string, unknown>
type Rule = (text: string, values: Values) => boolean

const words = (text: string): string[] => text.match(/\p{L}[\p{L}\p{N}'’-]*|\p{N}+/gu) ?? []
const paragraphs = (text: string, border: RegExp): string[] => text.split(border).filter((one) => one.trim() !== '')
const number = (value: unknown): number => (typeof value === 'number' ? value : 0)
const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const list = (value: unknown): string[] => (Array.isArray(value) ? value.map(text) : [])

const isEnough = (count: number, relation: unknown, wanted: unknown): boolean =>
  relation === 'less than' ? count < number(wanted) : count >= number(wanted)

const occurrences = (said: string, word: string): number =>
  said.toLowerCase().split(new RegExp(`(?<!\\w)${RegExp.escape(word.toLowerCase())}(?!\\w)`)).length - 1

const isLowerCase = (said: string): boolean => said === said.toLowerCase()
const isUpperCase = (said: string): boolean => said === said.toUpperCase()

function isJson(said: string): boolean {
  try {
    JSON.parse(said.trim().replace(/^```(?:json)?|```$/gi, ''))
    return true
  } catch {
    return false
  }
}

const rules: Record<string, Rule> = {
  'punctuation:no_comma': (said) => !said.includes(','),
  'length_constraints:number_words': (said, { relation, num_words }) =>
    isEnough(words(said).length, relation, num_words),
  'length_constraints:number_sentences': (said, { relation, num_sentences }) =>
    isEnough(said.split(/(?<=[.!?])\s+/).filter((one) => one.trim() !== '').length, relation, num_sentences),
  'length_constraints:number_paragraphs': (said, { num_paragraphs }) =>
    paragraphs(said, /\s?\*\*\*\s?/).length === num_paragraphs,
  'length_constraints:nth_paragraph_first_word': (said, { num_paragraphs, nth_paragraph, first_word }) => {
    const found = paragraphs(said, /\n\n/)
    const first = words(found[number(nth_paragraph) - 1] ?? '')[0]
    return found.length === num_paragraphs && first?.toLowerCase() === text(first_word).toLowerCase()
  },
  'keywords:existence': (said, { keywords }) => list(keywords).every((word) => occurrences(said, word) > 0),
  'keywords:forbidden_words': (said, { forbidden_words }) =>
    list(forbidden_words).every((word) => occurrences(said, word) === 0),
  'keywords:frequency': (said, { keyword, relation, frequency }) =>
    isEnough(occurrences(said, text(keyword)), relation, frequency),
  'keywords:letter_frequency': (said, { letter, let_relation, let_frequency }) =>
    isEnough(said.toLowerCase().split(text(letter).toLowerCase()).length - 1, let_relation, let_frequency),
  'change_case:english_lowercase': isLowerCase,
  'change_case:english_capital': isUpperCase,
  'change_case:capital_word_frequency': (said, { capital_relation, capital_frequency }) =>
    isEnough(words(said).filter(isUpperCase).length, capital_relation, capital_frequency),
  'detectable_format:title': (said) => /<<[^\n]+>>/.test(said),
  'detectable_format:number_highlighted_sections': (said, { num_highlights }) =>
    (said.match(/\*[^\n*]+\*/g) ?? []).length >= number(num_highlights),
  'detectable_format:number_bullet_lists': (said, { num_bullets }) =>
    (said.match(/^\s*(?:\*[^*]|-)/gm) ?? []).length === num_bullets,
  'detectable_format:json_format': isJson,
  'detectable_format:multiple_sections': (said, { section_spliter, num_sections }) =>
    said.split(new RegExp(`${RegExp.escape(text(section_spliter))}\\s?\\d+`)).length - 1 >= number(num_sections),
  'detectable_format:constrained_response': (said) => /My answer is (?:yes|no|maybe)\./.test(said),
  'detectable_content:number_placeholders': (said, { num_placeholders }) =>
    (said.match(/\[[^\]]+\]/g) ?? []).length >= number(num_placeholders),
  'detectable_content:postscript': (said, { postscript_marker }) =>
    said.toLowerCase().includes(text(postscript_marker).toLowerCase()),
  'startend:quotation': (said) => /^".*"$/s.test(said.trim()) && said.trim().length > 1,
  'startend:end_checker': (said, { end_phrase }) =>
    said.trim().toLowerCase().endsWith(text(end_phrase).trim().toLowerCase()),
  'combination:two_responses': (said) => new Set(paragraphs(said, /\*{6}/).map((one) => one.trim())).size === 2,
  'combination:repeat_prompt': (said, { prompt_to_repeat }) =>
    said.trim().toLowerCase().startsWith(text(prompt_to_repeat).trim().toLowerCase()),
}

export interface RuledPrompt {
  prompt: string
  instruction_id_list: string[]
  kwargs: Values[]
}

/** Those whose rules are all known here: which language an answer has is not checked. */
export const isCheckable = ({ instruction_id_list }: RuledPrompt): boolean =>
  instruction_id_list.every((id) => id in rules)

export const keepsRules = (said: string, { instruction_id_list, kwargs }: RuledPrompt): boolean =>
  said.trim() !== '' && instruction_id_list.every((id, index) => rules[id]?.(said, kwargs[index] ?? {}) ?? false)
