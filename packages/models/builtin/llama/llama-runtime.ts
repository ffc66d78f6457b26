// What one GGUF file can do: chat and plain text, or embeddings. Its process starts with the first use.
import type { Runtime } from '../../runtime.ts'
import { LlamaChat } from './chat-model.ts'
import { LlamaEmbeddings } from './embedding-model.ts'
import { LlamaEngine, type LlamaNeeds } from './llama-engine.ts'
import type { LlamaSettings } from './settings.ts'
import { LlamaText } from './text-model.ts'

export function createLlamaRuntime(settings: LlamaSettings, needs: LlamaNeeds): Runtime {
  const engine = new LlamaEngine(settings, needs)
  const chat = new LlamaChat(engine, settings.assist)
  const embeddings = new LlamaEmbeddings(engine, settings, needs)
  return {
    chat,
    text: new LlamaText(engine),
    embeddings,
    load: () => engine.load,
    residence: { enter: () => engine.enter(), leave: () => engine.leave() },
    async close() {
      await Promise.all([engine.close(), chat.close(), embeddings.close()])
    },
  }
}
