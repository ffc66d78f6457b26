// The microphone, as a file of sound when the person stops.
import { useRef, useState } from 'react'

const longestMs = 5 * 60_000

export function useRecorder(take: (sound: File) => void) {
  const [isRecording, setIsRecording] = useState(false)
  const [problem, setProblem] = useState<string>()
  const recorder = useRef<MediaRecorder>(undefined)
  // Browsers have it for encrypted and local pages only.
  const canRecord = 'MediaRecorder' in globalThis && navigator.mediaDevices !== undefined

  const start = async () => {
    setProblem(undefined)
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true })
      const made = new MediaRecorder(stream)
      const pieces: Blob[] = []
      const end = setTimeout(() => made.stop(), longestMs)
      made.ondataavailable = ({ data }) => pieces.push(data)
      made.onstop = () => {
        clearTimeout(end)
        for (const track of stream.getTracks()) track.stop()
        setIsRecording(false)
        const ending = made.mimeType.includes('mp4') ? 'mp4' : made.mimeType.includes('ogg') ? 'ogg' : 'webm'
        take(new File(pieces, `recording.${ending}`, { type: made.mimeType }))
      }
      made.start()
      recorder.current = made
      setIsRecording(true)
    } catch {
      setProblem('The browser gave this page no microphone: allow it for this address, or choose a file.')
    }
  }
  return { canRecord, isRecording, problem, start, stop: () => recorder.current?.stop() }
}
