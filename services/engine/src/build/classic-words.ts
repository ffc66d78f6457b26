// A build in the words of the classic builder.
import type { Messages } from './messages.ts'
import type { BuildEvent, BuildProgress } from './progress.ts'

export class ClassicWords implements BuildProgress {
  readonly #messages: Messages

  constructor(messages: Messages) {
    this.#messages = messages
  }

  async tell(stage: number, event: BuildEvent): Promise<void> {
    if (event.kind === 'pulling') return this.#messages.say(stage, event.message)
    for (const stream of wordsFor(event)) await this.#messages.say(stage, { stream })
  }

  finish(stage: number): void {
    this.#messages.finish(stage)
  }
}

function wordsFor(event: Exclude<BuildEvent, { kind: 'pulling' }>): string[] {
  switch (event.kind) {
    case 'step':
      return [`Step ${event.number}/${event.total} : ${event.text}`, '\n']
    case 'triggers':
      return [`# Executing ${event.count} build trigger${event.count > 1 ? 's' : ''}\n`]
    case 'trigger':
      return []
    case 'cached':
      return [' ---> Using cache\n']
    case 'running':
      return [` ---> Running in ${event.containerId.slice(0, 12)}\n`]
    case 'output':
      return [event.stream === 'stdout' ? event.text : `\u001b[91m${event.text}\u001b[0m`]
    case 'removed':
      return [` ---> Removed intermediate container ${event.containerId.slice(0, 12)}\n`]
    case 'stepped':
      return [` ---> ${event.id}\n`]
  }
}
