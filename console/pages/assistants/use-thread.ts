// A conversation with an assistant: a thread that is made by the first message, and runs whose streams are followed.
import { useEffect, useRef, useState } from 'react'
import { ApiError, messageOf } from '../../api/api-error.ts'
import { ask, send, withQuery } from '../../api/client.ts'
import { serverSentEvents } from '../../api/server-sent-events.ts'
import type { MessageObject } from '../../api/types.ts'
import { after, emptyThread, type RunEvent, type ThreadState } from './thread-state.ts'

const include = ['step_details.tool_calls[*].file_search.results[*].content']

export interface ToolOutput {
  tool_call_id: string
  output: string
}

export function useThread(assistant: string, project: string) {
  const [state, setState] = useState<ThreadState>(emptyThread)
  const [isRunning, setIsRunning] = useState(false)
  const [problem, setProblem] = useState<string>()
  const thread = useRef<string>(undefined)
  const following = useRef<AbortController>(undefined)
  useEffect(() => () => following.current?.abort(), [])

  const follow = async (path: string, body: object): Promise<void> => {
    const controller = new AbortController()
    following.current = controller
    const { signal } = controller
    const response = await send(path, { method: 'POST', body: { ...body, stream: true }, project, signal })
    if (response.body === null) return
    for await (const data of serverSentEvents(response.body)) {
      const event = JSON.parse(data) as RunEvent | { error: { message: string; code: string | null } }
      if ('error' in event) throw new ApiError(500, event.error.message, event.error.code)
      setState((before) => after(before, event))
    }
  }

  const working = async (work: () => Promise<void>): Promise<void> => {
    setProblem(undefined)
    setIsRunning(true)
    try {
      await work()
    } catch (error) {
      if (following.current?.signal.aborted !== true) setProblem(messageOf(error))
    }
    setIsRunning(false)
  }

  const say = (content: string) =>
    working(async () => {
      thread.current ??= (await ask<{ id: string }>('/v1/threads', { method: 'POST', body: {}, project })).id
      const path = `/v1/threads/${thread.current}`
      const body = { role: 'user', content }
      const message = await ask<MessageObject>(`${path}/messages`, { method: 'POST', body, project })
      setState((before) => after(before, message))
      await follow(withQuery(`${path}/runs`, { include }), { assistant_id: assistant })
    })

  const answer = (tool_outputs: ToolOutput[]) =>
    working(async () => {
      const path = `/v1/threads/${thread.current}/runs/${state.run?.id}/submit_tool_outputs`
      await follow(path, { tool_outputs })
    })

  const stop = async () => {
    const path = `/v1/threads/${thread.current}/runs/${state.run?.id}/cancel`
    await ask(path, { method: 'POST', project }).catch((error: unknown) => setProblem(messageOf(error)))
  }

  const clear = () => {
    following.current?.abort()
    thread.current = undefined
    setState(emptyThread)
  }
  return { state, isRunning, problem, say, answer, stop, clear }
}
