// From a mapping, a request and what the transform returned to the action that is asked for. Everything in it is as
// external as the request itself: only the mapping can lift the safety wrapper, never a payload or a transform.
import type { Action } from '../actions.ts'
import { agentAction, wakeAction } from '../ingress/normalise.ts'
import { ActionProblem, MappingProblem, type Resolved } from '../ports.ts'
import { renderAnswer } from './answer.ts'
import type { Mapping } from './mapping.ts'
import type { ActionOverride } from './override.ts'
import { renderTemplate, TemplateTooLong, type TemplateValues } from './template.ts'
import { TransformProblem } from './transforms/transforms.ts'

const maxNameCharacters = 200

type Rendered = ReturnType<typeof render>

/** `override` null: the transform skips it. */
export function resolved(mapping: Mapping, values: TemplateValues, override: ActionOverride | null): Resolved {
  const made = override ?? { kind: 'skip' }
  const action = made.kind === 'skip' ? null : mappedAction(mapping, values, { ...made, kind: made.kind })
  const { answer: usual } = mapping
  const answer = made.answer ?? (usual && asProblem(() => renderAnswer(usual, values)))
  if (action !== null && answer !== undefined && answer.status > 299) {
    throw new TransformProblem(`answers ${answer.status} to what it accepts; to refuse it, return kind "skip" too`)
  }
  return { action, ...(answer ? { answer } : {}) }
}

type Wanted = Omit<ActionOverride, 'kind'> & { kind?: Action['kind'] | null | undefined }

function mappedAction(mapping: Mapping, values: TemplateValues, override: Wanted): Action {
  const wanted = override.allowUnsafeExternalContent
  if (wanted === true && mapping.allowUnsafeExternalContent !== true) {
    throw new TransformProblem('asks for allowUnsafeExternalContent, which only the mapping itself can set')
  }
  const isUnsafe = mapping.allowUnsafeExternalContent === true && wanted !== false
  const rendered = asProblem(() => render(mapping, values))
  const kind = override.kind ?? mapping.action
  const action = asProblem(() =>
    kind === 'wake'
      ? wakeAction({ text: override.text ?? rendered.text, mode: override.mode ?? mapping.wakeMode })
      : agentAction(agentFields(mapping, rendered, override)),
  )
  return { ...action, mapping: mapping.id, ...(isUnsafe ? { allowUnsafeExternalContent: true } : {}) }
}

function render(mapping: Mapping, values: TemplateValues) {
  const fill = (template: string | undefined) =>
    template === undefined ? undefined : renderTemplate(template, values).trim()
  /** What is rendered to nothing is as good as not given. */
  const optional = (template: string | undefined) => fill(template) || undefined
  return {
    text: fill(mapping.textTemplate),
    message: fill(mapping.messageTemplate),
    name: optional(mapping.name),
    sessionKey: fill(mapping.sessionKey),
    to: optional(mapping.to),
    model: optional(mapping.model),
    thinking: optional(mapping.thinking),
  }
}

function agentFields(mapping: Mapping, rendered: Rendered, override: Wanted): Record<string, unknown> {
  const sessionKey = override.sessionKey ?? rendered.sessionKey
  // A new conversation for each would not be what the mapping says, and one for all even less.
  if (sessionKey?.trim() === '') throw new MappingProblem('hook mapping requires a sessionKey, and it came out empty')
  return {
    sessionKey,
    message: override.message ?? rendered.message,
    name: (override.name ?? rendered.name)?.slice(0, maxNameCharacters),
    wakeMode: override.wakeMode ?? mapping.wakeMode,
    deliver: override.deliver ?? mapping.deliver,
    channel: override.channel ?? mapping.channel,
    to: override.to ?? rendered.to,
    model: override.model ?? rendered.model,
    thinking: override.thinking ?? rendered.thinking,
    timeoutSeconds: override.timeoutSeconds ?? mapping.timeoutSeconds,
  }
}

function asProblem<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (error instanceof TemplateTooLong) throw new MappingProblem('hook mapping makes too long a text of this body')
    if (!(error instanceof ActionProblem)) throw error
    const [, missing] = /^(text|message) required$/.exec(error.message) ?? []
    throw new MappingProblem(missing === undefined ? error.message : `hook mapping requires ${missing}`)
  }
}
