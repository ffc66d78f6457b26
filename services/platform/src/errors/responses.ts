// Every error of responses and conversations: the words are those that programs in the wild look for.
import { platformError } from './errors.ts'

const refused = (param: string | null, message: string, code: string | null = null) =>
  platformError(400, { message, param, code })

const statusOf = { server_error: 500, rate_limit_exceeded: 429, invalid_prompt: 400 }

export const responseErrors = {
  /** What the work on it says, where no response is there to say it. */
  failed: ({ code, message }: { code: keyof typeof statusOf; message: string }) =>
    platformError(statusOf[code], {
      message,
      code,
      type: code === 'invalid_prompt' ? 'invalid_request_error' : code === 'server_error' ? code : 'requests',
    }),
  noSuchResponse: (id: string) => platformError(404, { message: `Response with id '${id}' not found.` }),
  noPreviousResponse: (id: string) =>
    refused(
      'previous_response_id',
      `Previous response with id '${id}' not found. It was deleted, or created with 'store': false.`,
      'previous_response_not_found',
    ),
  previousInConversation: (id: string) =>
    refused(
      'previous_response_id',
      `The previous response belongs to the conversation ${id}. Go on with 'conversation' in place of 'previous_response_id'.`,
      'invalid_value',
    ),
  previousAtWork: (id: string) =>
    refused(
      'previous_response_id',
      `The response ${id} is still at work. Wait until it has ended, or cancel it.`,
      'previous_response_in_progress',
    ),
  noSuchConversation: (id: string) => platformError(404, { message: `Conversation with id '${id}' not found.` }),
  noSuchItem: (id: string) => platformError(404, { message: `Item with id '${id}' not found.`, param: 'input' }),
  conversationBusy: (id: string, runId: string) =>
    refused('conversation', `Can't add items to ${id} while a run ${runId} is active.`, 'conversation_locked'),
  conversationAndPrevious: () =>
    refused(
      'previous_response_id',
      "'previous_response_id' and 'conversation' cannot be used together: a conversation has its own history.",
      'mutually_exclusive_parameters',
    ),
  noOutputForCall: (callId: string) => refused('input', `No tool output found for function call ${callId}.`),
  noCallForOutput: (callId: string) =>
    refused('input', `No tool call found for function call output with call_id ${callId}.`),
  emptyImage: () => refused('input', "An 'input_image' needs an 'image_url' or a 'file_id'."),
  ambiguousFile: () =>
    refused('input', "An 'input_file' needs one of 'file_id' and 'file_data', and no more than one.", 'invalid_value'),
  fileFromOutside: () =>
    refused(
      'input',
      "This server fetches no files from other addresses ('file_url'). Upload the file and name its 'file_id', or send it as 'file_data'.",
      'unsupported_value',
    ),
  noSuchInputFile: (id: string) => refused('input', `No such File object: ${id}`, 'invalid_value'),
  badFileData: (name: string) =>
    refused('input', `The 'file_data' of '${name}' is no base64, and no 'data:' address of base64.`, 'invalid_value'),
  unreadableFile: (name: string, reason: string) =>
    refused('input', `The file '${name}' cannot be given to a model. ${reason}`, 'unsupported_file'),
  fileTooLarge: (name: string, megabytes: number) =>
    refused(
      'input',
      `The file '${name}' is larger than ${megabytes} MB. Add it to a vector store and use the tool 'file_search'.`,
      'file_too_large',
    ),
  fileTooLong: (name: string, letters: number) =>
    refused(
      'input',
      `With the file '${name}' there are more than ${letters} characters of text in the files of this request. Add it to a vector store and use the tool 'file_search'.`,
      'context_length_exceeded',
    ),
  fileTooSlow: (name: string, seconds: number) =>
    refused(
      'input',
      `The file '${name}' could not be read within ${seconds} seconds. Add it to a vector store and use the tool 'file_search'.`,
      'file_too_slow',
    ),
  mcpNotAllowed: (server: string, by: 'name' | 'address') =>
    refused(
      'tools',
      by === 'address'
        ? `The MCP server '${server}' is not allowed here. The operator of this server can allow it with the setting platform.mcp.servers, as {"<name>": {"url": "<address>"}}.`
        : `There is no MCP server named '${server}' here. Name one with 'server_url', or have the operator of this server add it to the setting platform.mcp.servers.`,
      'mcp_server_not_allowed',
    ),
  mcpListFailed: (label: string, reason: string) =>
    platformError(424, {
      ...{ type: 'external_connector_error', code: 'http_error', param: 'tools' },
      message: `The tools of the MCP server '${label}' could not be listed. ${reason}`,
    }),
  mcpSecretsLost: () =>
    refused(
      'tools',
      'The headers that were given for an MCP server can be opened only where the response was created. Create it again.',
    ),
  noApprovalRequest: (id: string) =>
    refused('input', `No approval request found with id ${id} for this 'mcp_approval_response'.`, 'invalid_value'),
  approvedBefore: (id: string) =>
    refused('input', `The call of approval request ${id} was made already.`, 'invalid_value'),
  approvedServerMissing: (label: string) =>
    refused('tools', `A call of the MCP server '${label}' was approved, which is not in 'tools'.`, 'invalid_value'),
  nothingAsked: () =>
    refused('input', "Missing required parameter: 'input'. There is nothing to answer.", 'missing_required_parameter'),
  historyTooLong: (maxLetters: number) =>
    refused(
      'input',
      `The history of this response has more than ${maxLetters} characters. Start a new one, or set 'truncation' to 'auto'.`,
      'context_length_exceeded',
    ),
  chainTooLong: (maxResponses: number) =>
    refused(
      'previous_response_id',
      `A chain of responses has at most ${maxResponses}. Start a new one, or use a conversation.`,
      'chain_too_long',
    ),
  unsupported: (param: string, message: string) => refused(param, message, 'unsupported_parameter'),
  unsupportedValue: (param: string, message: string) => refused(param, message, 'unsupported_value'),
  toolNotThere: (what: string) => refused('tool_choice', `Tool choice ${what} not found in 'tools' parameter.`),
  repeatedTool: (name: string) =>
    refused('tools', `There is more than one tool named '${name}'. Names must be unique.`, 'invalid_value'),
  tooManyTools: (most: number) =>
    refused('tools', `There are more than ${most} tools, those of namespaces included.`, 'array_above_max_length'),
  noWordJson: () =>
    refused(
      'input',
      "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.",
    ),
  cannotCount: (model: string) =>
    refused(
      'model',
      `The server behind the model '${model}' cannot count tokens without an answer.`,
      'unsupported_value',
    ),
  notCompacted: () =>
    refused(
      null,
      "This server does not compact histories: its models cannot read what others have compacted. Set 'truncation' to 'auto', or start a new conversation with a summary.",
      'unsupported_operation',
    ),
  backgroundNotStored: () =>
    refused('store', "A response in the background is kept: 'background' cannot be used with 'store': false."),
  streamInBatch: () =>
    refused(null, "A request of a batch is answered whole: 'stream' and 'background' cannot be set.", 'invalid_value'),
  notBackground: (id: string) =>
    refused(null, `The response ${id} was not created with 'background': true, so it cannot be cancelled.`),
  notStreamable: () =>
    refused('stream', "Only responses that were created with 'background': true can be streamed again."),
}

/** What `error` of a response says when it fails by itself. */
export const responseFailures = {
  interrupted: (attempts: number) =>
    `The server stopped while it worked on this response, ${attempts} times. Please create it again.`,
  internal: 'The server had an error while it worked on this response. The log of this server tells more.',
}
