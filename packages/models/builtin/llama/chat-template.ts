// A conversation in the words of the model's own template.
import { ModelProblem } from '../../problem.ts'
import type { Addon, AddonModel } from './addon.ts'
import type { ChatPrompt, TemplateMessage } from './protocol.ts'

/** For files that bring no template: the most common way to mark turns. */
const plainTemplate = `{%- for message in messages -%}
<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endfor -%}
{%- if add_generation_prompt -%}<|im_start|>assistant
{% endif -%}`

export class ChatTemplate {
  readonly #addon: Addon
  readonly #template: string
  readonly #marks: { bos_token: string; eos_token: string }
  #renderer: InstanceType<Addon['AddonJinjaRenderer']> | undefined

  constructor(addon: Addon, model: AddonModel, template: string | undefined) {
    this.#addon = addon
    this.#template = template ?? plainTemplate
    const textOf = (token: number): string => (token < 0 ? '' : model.getTokenString(token))
    this.#marks = { bos_token: textOf(model.tokenBos()), eos_token: textOf(model.tokenEos()) }
  }

  /** `forAnswer`: up to where the model's answer begins. Throws a ModelProblem that says what the template cannot take. */
  render({ messages, tools, responseSchema }: ChatPrompt, { forAnswer = true } = {}): string {
    this.#renderer ??= this.#compile()
    const renderer = this.#renderer
    const values = { tools, response_schema: responseSchema, add_generation_prompt: forAnswer, ...this.#marks }
    try {
      return renderer.render({ ...values, messages })
    } catch (first) {
      // Some templates know no system role: its words then open the first message.
      const merged = withoutSystem(messages)
      if (merged === undefined) throw refused(first)
      try {
        return renderer.render({ ...values, messages: merged })
      } catch {
        throw refused(first)
      }
    }
  }

  #compile(): InstanceType<Addon['AddonJinjaRenderer']> {
    try {
      return new this.#addon.AddonJinjaRenderer(this.#template)
    } catch (cause) {
      const message = "The model's chat template cannot be read: use another model file."
      throw new ModelProblem(message, { kind: 'not_installed' }, { cause })
    }
  }
}

function withoutSystem([system, next, ...rest]: TemplateMessage[]): TemplateMessage[] | undefined {
  if (system?.role !== 'system') return undefined
  if (next === undefined) return [{ ...system, role: 'user' }]
  if (next.role !== 'user') return [{ ...system, role: 'user' }, next, ...rest]
  return [{ ...next, content: `${system.content}\n\n${next.content}` }, ...rest]
}

/** What a template says of its own accord; anything else is the renderer's and tells a caller nothing. */
const ownWords = /Jinja Exception: ([^\n]{1,200})/
const otherWords = 'they come in an order, or have roles or tool calls, that this model was not made for'

function refused(cause: unknown): ModelProblem {
  const words = ownWords.exec((cause as Error).message)?.[1] ?? otherWords
  const message = `The model's chat template does not accept these messages: ${words}`
  return new ModelProblem(message, { kind: 'invalid', param: 'messages' }, { cause })
}
