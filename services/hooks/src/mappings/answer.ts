// What the sender of a mapped hook is answered, where its mapping or transform says so: senders like Slack show it.
import { bytes, empty, json, type Reply } from '@atoll/kernel/http/reply'
import { z } from 'zod'
import { type HookAnswer, type Json, MappingProblem } from '../ports.ts'
import { renderTemplate, type TemplateValues } from './template.ts'

const maxAnswerCharacters = 65_536
const bodiless: readonly number[] = [204, 205]

const shape = (leastStatus: number, mostStatus: number) =>
  z
    .strictObject({
      status: z
        .int()
        .min(leastStatus)
        .max(mostStatus)
        .meta({ expects: `a status from ${leastStatus} to ${mostStatus}` })
        .default(200),
      /** A text is sent as it is, anything else as JSON. */
      body: z.json().meta({ expects: 'a text, or whatever JSON there is' }).optional(),
    })
    .refine(({ status, body }) => body === undefined || !bodiless.includes(status), 'this status has no body')

/** What is refused is not accepted: only a transform that skips may answer with an error. */
export const AnswerConfig = shape(200, 299)
export const TransformAnswer = shape(200, 499)

/** Every text in the body is a template; what is put in stays inside its text. */
export function renderAnswer({ status, body }: HookAnswer, values: TemplateValues): HookAnswer {
  return body === undefined ? { status } : checked({ status, body: filled(body, values) })
}

function filled(value: Json, values: TemplateValues): Json {
  if (typeof value === 'string') return renderTemplate(value, values)
  if (Array.isArray(value)) return value.map((item) => filled(item, values))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, values)]))
}

function checked(answer: HookAnswer): HookAnswer {
  const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body)
  if (text.length > maxAnswerCharacters) throw new MappingProblem('hook mapping makes too long an answer of this body')
  return answer
}

export function replyWith({ status, body }: HookAnswer): Reply {
  if (body === undefined) return empty(status)
  if (typeof body !== 'string') return json(status, body)
  return bytes(body, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }, status)
}
