// Errors of realtime sessions: refused connections, and what `error` events tell.
import { platformError } from './errors.ts'

const invalid = (code: string, message: string, param: string | null = null) =>
  platformError(400, { message, param, code })

export const realtimeErrors = {
  tooManySessions: (most: number) =>
    platformError(
      429,
      {
        message: `There are ${most} realtime sessions on this server already. Please try again when some have ended.`,
        type: 'requests',
        code: 'too_many_sessions',
      },
      { 'retry-after': '5' },
    ),
  noModel: () =>
    platformError(400, {
      message: "Missing required parameter: 'model'. Connect to /v1/realtime?model=gpt-4o-realtime-preview.",
      param: 'model',
      code: 'missing_required_parameter',
    }),
  otherModel: (model: string) =>
    invalid('invalid_value', `This client key is for the model '${model}' alone.`, 'model'),
  otherIntent: (kind: string) =>
    invalid('invalid_value', `This client key is for a session of intent '${kind}' alone.`, 'intent'),
  expiredKey: () =>
    platformError(401, {
      message: 'This client key is not known or has expired. Ask your server for a new one.',
      code: 'invalid_api_key',
    }),
  endedKey: () =>
    platformError(401, {
      message: 'The key that this session was opened with has ended. Connect again with another one.',
      code: 'invalid_api_key',
    }),
  notJson: () => invalid('invalid_event', 'The event is not valid JSON.'),
  notText: () => invalid('invalid_event', 'Events are JSON texts; binary messages are not understood.'),
  notAnObject: () => invalid('invalid_event', 'An event is a JSON object.'),
  noType: () => invalid('invalid_event', "The 'type' field is missing.", 'type'),
  unknownType: (type: string, known: readonly string[]) =>
    invalid(
      'invalid_event',
      `Invalid value: '${type}'. Supported values are: ${known.map((name) => `'${name}'`).join(', ')}.`,
      'type',
    ),
  notInTranscriptions: (type: string) =>
    invalid(
      'invalid_event',
      `'${type}' has no place in a session that only writes down what it hears. Connect to /v1/realtime?model=… for a conversation.`,
      'type',
    ),
  mustTranscribe: () =>
    invalid(
      'invalid_value',
      'This session writes down what it hears: it needs a transcription model.',
      'session.input_audio_transcription',
    ),
  otherKind: (expected: string) =>
    invalid(
      'invalid_value',
      `Invalid value for 'session.type': this session is of type '${expected}'.`,
      'session.type',
    ),
  modelIsFixed: (model: string) =>
    invalid('invalid_value', `A session keeps its model, which is '${model}'.`, 'session.model'),
  voiceIsFixed: () =>
    invalid('cannot_update_voice', 'The voice cannot be changed once the model has spoken.', 'session.voice'),
  invalidBase64: (param: string) => invalid('invalid_value', `'${param}' is not valid base64.`, param),
  appendTooLarge: (maxBytes: number) =>
    invalid('audio_too_large', `One append carries at most ${maxBytes} bytes (15 MiB) of audio.`, 'audio'),
  bufferFull: (maxBytes: number) =>
    invalid(
      'input_audio_buffer_full',
      `The input audio buffer holds at most ${maxBytes} bytes. Commit or clear it first.`,
      'audio',
    ),
  commitEmpty: (ms: number) =>
    invalid(
      'input_audio_buffer_commit_empty',
      `Error committing input audio buffer: buffer too small. Expected at least 100ms of audio, but buffer only has ${ms.toFixed(2)}ms of audio.`,
    ),
  noSuchItem: (id: string, param = 'item_id') =>
    invalid('item_not_found', `There is no item with id '${id}' in the conversation.`, param),
  noSuchPrevious: (id: string) =>
    invalid(
      'item_not_found',
      `There is no item with id '${id}' in the conversation to put another one after.`,
      'previous_item_id',
    ),
  itemExists: (id: string) =>
    invalid('item_already_exists', `There is an item with id '${id}' in the conversation already.`, 'item.id'),
  noSuchCall: (id: string) =>
    invalid('call_not_found', `There is no function call with call_id '${id}' in the conversation.`, 'item.call_id'),
  wrongContent: (role: string, allowed: readonly string[], index: number) =>
    invalid(
      'invalid_value',
      `A message of role '${role}' may have content of type ${allowed.map((name) => `'${name}'`).join(' and ')} only.`,
      `item.content[${index}].type`,
    ),
  conversationFull: () =>
    invalid('conversation_too_long', 'The conversation is too long. Delete items, or begin a new session.'),
  notTruncatable: (id: string) =>
    invalid('invalid_value', `Item '${id}' is no assistant message with audio: there is nothing to cut.`, 'item_id'),
  noSuchContent: (index: number) =>
    invalid('invalid_value', `The item has no audio at content index ${index}.`, 'content_index'),
  alreadyShorter: (ms: number, asked: number) =>
    invalid('invalid_value', `Audio content of ${Math.floor(ms)}ms is already shorter than ${asked}ms`, 'audio_end_ms'),
  activeResponse: (id: string) =>
    invalid(
      'conversation_already_has_active_response',
      `Conversation already has an active response in progress: ${id}. Wait until the response is finished before creating a new one.`,
    ),
  tooManyResponses: (most: number) =>
    invalid('too_many_responses', `At most ${most} responses outside of the conversation run at once.`),
  noActiveResponse: () => invalid('response_cancel_not_active', 'Cancellation failed: no active response found.'),
  sessionTooLong: (minutes: number) =>
    invalid('session_expired', `Your session hit the maximum duration of ${minutes} minutes.`),
  sessionIdle: (seconds: number) =>
    invalid('session_idle', `Nothing came from the client for ${seconds} seconds: the session ends.`),
  notAnAudioObject: (param: string) =>
    invalid('invalid_type', `Invalid type for '${param}': expected an object.`, param),
  unknownParameter: (param: string) => invalid('unknown_parameter', `Unknown parameter: '${param}'.`, param),
  unknownFormat: (param: string) =>
    invalid(
      'invalid_value',
      `Invalid '${param}': supported are audio/pcm (24,000 samples a second), audio/pcmu and audio/pcma (8,000).`,
      param,
    ),
  notDone: (param: string) =>
    invalid('unsupported_parameter', `'${param}' is not supported by this server. Leave it out, or send null.`, param),
  failed: () =>
    platformError(500, {
      message: 'The server had an error while it worked on this event. The session goes on; please try again.',
      type: 'server_error',
    }),
}
