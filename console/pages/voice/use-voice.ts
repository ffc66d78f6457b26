// A spoken conversation as a page holds it: begun, followed and ended; leaving the page ends it too.
import { useEffect, useRef, useState } from 'react'
import { afterEvent, nothingSpoken, type Spoken } from './spoken.ts'
import { beginCall, type CallControls, type CallSettings } from './voice-call.ts'

export type CallState = 'idle' | 'opening' | 'open'

const noMicrophone =
  'The browser gave this page no microphone. Allow it for this address; browsers have it for localhost and for https alone.'

export function useVoice() {
  const [state, setState] = useState<CallState>('idle')
  const [spoken, setSpoken] = useState<Spoken>(nothingSpoken)
  const [peak, setPeak] = useState(0)
  const [problem, setProblem] = useState<string>()
  const [isMuted, setIsMuted] = useState(false)
  const call = useRef<CallControls>(undefined)
  const isGone = useRef(false)

  useEffect(() => {
    isGone.current = false
    return () => {
      isGone.current = true
      call.current?.hangUp()
    }
  }, [])

  const begin = async (settings: CallSettings) => {
    setState('opening')
    setSpoken(nothingSpoken)
    setProblem(undefined)
    setIsMuted(false)
    try {
      const begun = await beginCall(settings, {
        told: (event) => {
          if (event.type === 'session.updated') setState('open')
          setSpoken((before) => afterEvent(before, event))
        },
        heard: setPeak,
        ended: (why) => {
          call.current = undefined
          setState('idle')
          setPeak(0)
          setProblem(why)
        },
      })
      call.current = begun
      if (isGone.current) begun.hangUp()
    } catch (error) {
      const isRefused = error instanceof DOMException && error.name !== 'AbortError'
      setProblem(isRefused ? noMicrophone : `The microphone could not be used: ${String(error)}`)
      setState('idle')
    }
  }
  const mute = (muted: boolean) => {
    call.current?.mute(muted)
    setIsMuted(muted)
  }
  const end = () => call.current?.hangUp()
  return { state, spoken, peak, isMuted, problem: problem ?? spoken.problem, begin, mute, end }
}
