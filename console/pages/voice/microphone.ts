// The microphone as pieces of PCM16, 24,000 samples a second.

/** Where the bundler has put the worklet. */
declare const MICROPHONE_WORKLET: string

export interface Heard {
  sound: ArrayBuffer
  /** The loudest sample, from 0 to 1. */
  peak: number
}

export interface Microphone {
  mute(isMuted: boolean): void
  close(): void
}

/** Throws where the browser gives none. */
export async function openMicrophone(context: AudioContext, hear: (heard: Heard) => void): Promise<Microphone> {
  // Without its echo removed, the answer would interrupt itself.
  const audio = { echoCancellation: true, noiseSuppression: true, autoGainControl: true, channelCount: 1 }
  const stream = await navigator.mediaDevices.getUserMedia({ audio })
  const stop = () => {
    for (const track of stream.getTracks()) track.stop()
  }
  try {
    await context.audioWorklet.addModule(MICROPHONE_WORKLET)
    const source = context.createMediaStreamSource(stream)
    const worklet = new AudioWorkletNode(context, 'microphone', { numberOfInputs: 1, numberOfOutputs: 0 })
    worklet.port.onmessage = ({ data }: MessageEvent<Heard>) => hear(data)
    source.connect(worklet)
    return {
      mute(isMuted) {
        for (const track of stream.getTracks()) track.enabled = !isMuted
      },
      close() {
        worklet.port.onmessage = null
        source.disconnect()
        stop()
      },
    }
  } catch (error) {
    stop()
    throw error
  }
}
