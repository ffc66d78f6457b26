// The errors of chat completions and plain completions, in the words programs know.
import type { HttpError } from '@atoll/kernel/http/error'
import { platformError } from './errors.ts'

const refused = (param: string, message: string, code: string | null = null): HttpError =>
  platformError(400, { message, param, code })

export const completionErrors = {
  /** Nobody reads it; it tells the log that nothing went wrong here. */
  callerLeft: () => platformError(499, { message: 'The client closed the connection before the answer was complete.' }),
  streamOptionsWithoutStream: () =>
    refused('stream_options', "The 'stream_options' parameter is only allowed when 'stream' is enabled."),
  bestOfBelowN: (bestOf: number, n: number) =>
    refused(
      'best_of',
      `You requested that the server return more choices than it will generate (HINT: you must set 'best_of' (currently ${bestOf}) to be at least 'n' (currently ${n}), or omit it).`,
      'invalid_value',
    ),
  bestOfStreamed: () =>
    refused('best_of', "The best of several completions cannot be streamed: set 'best_of' to 'n', or omit 'stream'."),
  tooManyChoices: (choices: number, max: number) =>
    refused(
      'prompt',
      `The prompts of this request ask for ${choices} completions in all, and at most ${max} can be made at once. Send fewer prompts, or lower 'n' or 'best_of'.`,
      'too_many_choices',
    ),
}

export const chatErrors = {
  twoTokenLimits: () =>
    refused(
      'max_tokens',
      "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
      'invalid_parameter_combination',
    ),
  topLogprobsWithoutLogprobs: () =>
    refused('top_logprobs', "The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled."),
  onlyWith: (param: string, needed: string) =>
    refused(param, `Invalid value for '${param}': '${param}' is only allowed when '${needed}' are specified.`),
  functionsWithTools: () =>
    refused(
      'functions',
      "'functions' and 'function_call' are deprecated forms of 'tools' and 'tool_choice' and cannot be used together with them. Use 'tools' and 'tool_choice' alone.",
      'invalid_parameter_combination',
    ),
  toolChoiceNotFound: (param: string, name: string, list: string) =>
    refused(param, `Tool choice '${name}' not found in '${list}' parameter.`),
  repeatedFunction: (param: string, name: string) =>
    refused(param, `The function name '${name}' is used more than once. Names must be unique.`, 'invalid_value'),
  audioWithoutSettings: () =>
    refused(
      'audio',
      "Missing required parameter: 'audio'. It is required when 'modalities' asks for audio output.",
      'missing_required_parameter',
    ),
  settingsWithoutAudio: () =>
    refused('audio', "The 'audio' parameter is only allowed when 'modalities' includes 'audio'."),
  streamedFormat: (format: string) =>
    refused(
      'audio.format',
      `Unsupported value: 'audio.format' does not support '${format}' when stream=true. Supported values are: 'pcm16'.`,
      'unsupported_value',
    ),
  noSuchAudio: (param: string, id: string) =>
    refused(
      param,
      `There is no audio answer with id '${id}' any more: it has expired, or was not given to this project. Send its transcript as 'content' instead.`,
      'audio_not_found',
    ),
  audioNotBase64: (param: string) =>
    refused(param, `Invalid value for '${param}': expected the bytes of a sound file in base64.`, 'invalid_base64'),
  noWordJson: () =>
    refused(
      'messages',
      "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
    ),
  emptyAssistantMessage: (param: string) =>
    refused(
      param,
      `Invalid value for '${param}': expected a string, got null. An assistant message needs content, unless it has 'tool_calls', 'function_call' or 'refusal'.`,
      'invalid_value',
    ),
  toolMessageWithoutCall: (param: string) =>
    refused(
      param,
      "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",
    ),
  unknownToolCall: (param: string, id: string) =>
    refused(
      param,
      `Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of the preceding assistant message.`,
    ),
  unansweredToolCalls: (param: string, ids: readonly string[]) =>
    refused(
      param,
      `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids.slice(0, 10).join(', ')}`,
    ),
  functionMessageWithoutCall: (param: string, name: string) =>
    refused(
      param,
      `Invalid parameter: a message with role 'function' must follow an assistant message whose 'function_call' has its name, '${name}'.`,
    ),
  noSuchCompletion: (id: string) =>
    platformError(404, {
      message: `No chat completion found with id '${id}'. Only completions created with 'store': true are kept.`,
      param: 'completion_id',
    }),
}
