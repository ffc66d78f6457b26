// Follows a container's log: read as it comes, shown a few times a second, and never more than its last lines kept.
import { useEffect, useState } from 'react'
import { messageOf } from '../../api/api-error.ts'
import { sendTo } from '../../api/service-client.ts'
import { Frames } from './demultiplex.ts'
import { at } from './engine.ts'
import { LogBuffer } from './log-buffer.ts'

const showEveryMs = 150
const firstLines = 500

interface ShownLog {
  lines: string[]
  dropped: number
  state: 'following' | 'ended' | { problem: string }
}

export function useLog(id: string, isRunning: boolean, hasTimes: boolean): ShownLog {
  const [shown, setShown] = useState<ShownLog>({ lines: [], dropped: 0, state: 'following' })
  useEffect(() => {
    const leaving = new AbortController()
    const buffer = new LogBuffer()
    let isNew = true
    const show = (state: ShownLog['state']) => setShown({ lines: buffer.lines(), dropped: buffer.dropped, state })
    const timer = setInterval(() => {
      if (isNew) show('following')
      isNew = false
    }, showEveryMs)
    const path = at(
      id,
      `/logs?stdout=1&stderr=1&follow=${isRunning ? 1 : 0}&tail=${firstLines}&timestamps=${hasTimes ? 1 : 0}`,
    )
    follow(path, leaving.signal, (text) => {
      buffer.push(text)
      isNew = true
    })
      .then(
        () => 'ended' as const,
        (error: unknown) => ({ problem: messageOf(error) }),
      )
      .then((state) => {
        clearInterval(timer)
        if (!leaving.signal.aborted) show(state)
      })
    return () => {
      clearInterval(timer)
      leaving.abort()
    }
  }, [id, isRunning, hasTimes])
  return shown
}

async function follow(path: string, signal: AbortSignal, take: (text: string) => void): Promise<void> {
  const { body, headers } = await sendTo('engine', path, { signal })
  const frames = headers.get('content-type')?.includes('multiplexed') ? new Frames() : undefined
  const decoder = new TextDecoder()
  const reader = body?.getReader()
  for (;;) {
    const next = await reader?.read()
    if (next === undefined || next.done) return
    for (const piece of frames?.push(next.value) ?? [next.value]) take(decoder.decode(piece, { stream: true }))
  }
}
