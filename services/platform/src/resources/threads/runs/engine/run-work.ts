// What a run needs to know of its surroundings while it works: read once for each attempt.
import type { ChatMessage } from '@atoll/models/chat'
import type { ProjectCaller } from '../../../../callers.ts'
import { searchedQuestion } from '../../../../tool-loop/question.ts'
import type { ToolResources } from '../../../assistants/schema.ts'
import { type RunSettings, settingsOf } from '../present.ts'
import type { RunRow } from '../run-rows.ts'
import { chatMessageOf, plainText } from './history.ts'
import type { WorkParts } from './work-parts.ts'

export interface RunWork {
  caller: ProjectCaller
  settings: RunSettings
  threadResources: ToolResources
  /** Before this run, oldest first, as the model reads them. */
  thread: ChatMessage[]
  /** What is to be looked for: the last message of a user, with what it builds on. */
  question: string
}

export async function readWork({ messages, threads, files }: WorkParts, run: RunRow): Promise<RunWork> {
  const caller = JSON.parse(run.caller) as ProjectCaller
  const settings = settingsOf(run)
  const [thread, all] = await Promise.all([threads.get(caller, run.thread_id), messages.allOf(run.thread_id)])
  const before = all.filter(({ run_id }) => run_id !== run.id)
  const { last_messages } = settings.truncation_strategy
  const read = last_messages === null ? before : before.slice(-last_messages)
  const chat: ChatMessage[] = []
  for (const message of read) chat.push(await chatMessageOf(message, caller, files))
  return {
    caller,
    settings,
    threadResources: thread.tool_resources,
    thread: chat,
    question: searchedQuestion(before.map((message) => ({ role: message.role, text: plainText(message) }))),
  }
}
