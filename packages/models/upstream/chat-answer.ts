// A whole chat answer, made complete.
import type { ChatAnswer, ChatChoice, ChatRequest } from '../chat.ts'
import { choicesOf, finishReason, readAudio, readLogprobs, textOr, unsupported } from './choice.ts'
import { isObject } from './error-body.ts'
import { senseless } from './problems.ts'
import type { JsonAnswer } from './server.ts'
import { readToolCalls } from './tool-calls.ts'
import { estimatedUsage, readUsage, tokensOfLetters, tokensOfMessages } from './usage.ts'

export function readChatAnswer({ json, replica }: JsonAnswer, request: ChatRequest, model: string): ChatAnswer {
  if (!isObject(json)) throw senseless('sent an answer that is no object')
  const choices = choicesOf(json).map((choice, at) => readChoice(choice, at, request))
  if (choices.length === 0) throw senseless('sent an answer without choices')
  if (choices.length !== request.choices) throw unsupported('n')
  return {
    model: textOr(json.model, model),
    system_fingerprint: textOr(json.system_fingerprint, replica.fingerprint),
    choices,
    usage: readUsage(json.usage) ?? estimatedUsage(tokensOfMessages(request), tokensOfLetters(lettersOf(choices))),
  }
}

function readChoice(choice: Record<string, unknown>, at: number, request: ChatRequest): ChatChoice {
  const wantsLogprobs = request.topLogprobs !== undefined
  const { message, index, finish_reason: finish } = choice
  if (!isObject(message)) throw senseless('sent a choice without a message')
  const content = textOr(message.content, null)
  const toolCalls = readToolCalls(message.tool_calls)
  const logprobs = wantsLogprobs ? readLogprobs(choice.logprobs) : null
  if (wantsLogprobs && !logprobs && content) throw unsupported('logprobs')
  const answered: ChatChoice['message'] = { role: 'assistant', content, refusal: textOr(message.refusal, null) }
  if (toolCalls) answered.tool_calls = toolCalls
  const audio = readAudio(message.audio)
  if (audio) answered.audio = { id: '', expires_at: 0, data: '', transcript: '', ...audio }
  else if (request.audio && !toolCalls) throw unsupported('modalities')
  return {
    index: Number.isSafeInteger(index) ? (index as number) : at,
    message: answered,
    logprobs,
    finish_reason: typeof finish === 'string' ? finishReason(finish) : toolCalls ? 'tool_calls' : 'stop',
  }
}

function lettersOf(choices: ChatChoice[]): number {
  let letters = 0
  for (const { message } of choices) {
    letters += (message.content ?? message.refusal ?? '').length
    for (const call of message.tool_calls ?? []) letters += call.function.name.length + call.function.arguments.length
  }
  return letters
}
