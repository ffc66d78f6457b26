// The built-in transcription: English speech. weights/speech/CARD.md tells how good it is.
import type { Runtime } from '../../runtime.ts'
import { Listener } from './listener.ts'
import { transcribeFile } from './transcribe-file.ts'
import type { Transcriber } from './transcriber.ts'

export const createTranscriptionRuntime = (transcriber: Transcriber): Runtime => ({
  transcription: {
    transcribe: (request, call) => transcribeFile(request, transcriber, call),
    listen: (call) => new Listener(transcriber, call),
    warm: (call) => transcriber.warm(call),
  },
  load: () => ({ running: transcriber.pending, waiting: 0, isLoaded: transcriber.isLoaded }),
  close: () => transcriber.close(),
})
