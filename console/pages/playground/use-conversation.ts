// One conversation with one model: its turns, and the answer that is under way.
import { useRef, useState } from 'react'
import { messageOf } from '../../api/api-error.ts'
import { requestOf, type Settings } from './settings.ts'
import { streamAnswer } from './stream-answer.ts'
import { messagesOf, type Turn } from './turn.ts'

export interface Conversation {
  turns: Turn[]
  isAnswering: boolean
  /** Adds what the person, or their tools, have said, and has the model answer. */
  say(said: Omit<Turn, 'id'>[], ask: { model: string; settings: Settings; project: string }): Promise<void>
  stop(): void
  clear(): void
}

let lastId = 0
const newId = (): number => {
  lastId += 1
  return lastId
}

export function useConversation(): Conversation {
  const [turns, setTurns] = useState<Turn[]>([])
  const [isAnswering, setIsAnswering] = useState(false)
  const running = useRef<AbortController>(undefined)

  const say: Conversation['say'] = async (said, { model, settings, project }) => {
    const before = [...turns, ...said.map((turn) => ({ ...turn, id: newId() }))]
    const answer: Turn = { id: newId(), role: 'assistant', content: '', state: 'streaming' }
    const show = () => setTurns([...before, { ...answer }])
    const shown = oncePerFrame(show)
    show()
    setIsAnswering(true)
    const controller = new AbortController()
    running.current = controller
    try {
      const request = requestOf(model, settings, messagesOf(settings.system, before))
      await streamAnswer({ request, project, signal: controller.signal }, answer, shown)
      answer.state = 'done'
    } catch (error) {
      answer.state = controller.signal.aborted ? 'stopped' : 'failed'
      if (!controller.signal.aborted) answer.problem = messageOf(error)
    }
    if (running.current !== controller) return // cleared meanwhile
    show()
    setIsAnswering(false)
  }

  const stop = () => running.current?.abort()
  const clear = () => {
    stop()
    running.current = undefined
    setIsAnswering(false)
    setTurns([])
  }
  return { turns, isAnswering, say, stop, clear }
}

/** Pieces come faster than a screen shows them. */
function oncePerFrame(work: () => void): () => void {
  let isPlanned = false
  return () => {
    if (isPlanned) return
    isPlanned = true
    requestAnimationFrame(() => {
      isPlanned = false
      work()
    })
  }
}
