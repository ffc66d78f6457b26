// How models write tool calls. A call is: callBegin, the name, beforeArguments, the arguments as JSON, callEnd. White
// space in these texts is optional, for models are not exact about it.

export interface ToolSyntax {
  name: string
  /** Seeing this, a call has begun. It is how `before` and `callBegin` together begin. */
  trigger: string
  /** The trigger counts only as the very first thing an answer says: in the middle of one it is common text. */
  onlyAtStart: boolean
  /** Once, ahead of all calls. */
  before: string
  callBegin: string
  beforeArguments: string
  callEnd: string
  between: string
  /** Once, behind all calls. */
  after: string
  /** More than one call in an answer. */
  parallel: boolean
}

const hermes: ToolSyntax = {
  name: 'hermes',
  trigger: '<tool_call>',
  onlyAtStart: false,
  before: '',
  callBegin: '<tool_call>\n{"name": "',
  beforeArguments: '", "arguments": ',
  callEnd: '}\n</tool_call>',
  between: '\n',
  after: '',
  parallel: true,
}

const llama: ToolSyntax = {
  name: 'llama',
  trigger: '{"name"',
  onlyAtStart: true,
  before: '',
  callBegin: '{"name": "',
  beforeArguments: '", "parameters": ',
  callEnd: '}',
  between: '',
  after: '',
  parallel: false,
}

const mistral: ToolSyntax = {
  name: 'mistral',
  trigger: '[TOOL_CALLS]',
  onlyAtStart: false,
  before: '[TOOL_CALLS] [',
  callBegin: '{"name": "',
  beforeArguments: '", "arguments": ',
  callEnd: '}',
  between: ', ',
  after: ']',
  parallel: true,
}

const mistralArguments: ToolSyntax = {
  ...mistral,
  name: 'mistral-args',
  before: '',
  callBegin: '[TOOL_CALLS]',
  beforeArguments: '[ARGS]',
  callEnd: '',
  between: '',
  after: '',
}

const functionMark: ToolSyntax = {
  ...hermes,
  name: 'function-mark',
  trigger: '<|fn|>',
  callBegin: '<|fn|>{"name": "',
  callEnd: '}',
  between: '',
}

export const toolSyntaxes = { hermes, llama, mistral, mistralArguments, functionMark }

/** What the chat template says when it writes past calls; the first that is found. */
const signs: [sign: string, syntax: ToolSyntax][] = [
  ['<|fn|>', functionMark],
  ['[ARGS]', mistralArguments],
  ['[TOOL_CALLS]', mistral],
  ['<tool_call>', hermes],
  ['<|python_tag|>', llama],
  ['"parameters": ', llama],
]

export function detectToolSyntax(chatTemplate: string | undefined): ToolSyntax {
  const found = signs.find(([sign]) => chatTemplate?.includes(sign))
  return found ? found[1] : hermes
}
