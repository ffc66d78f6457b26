import { fileURLToPath } from 'node:url'
import { type Network, openNetwork } from '../onnx/onnx.ts'

const folder = new URL('../../../../weights/speech/', import.meta.url)

export const openSpeechNetwork = (file: string): Promise<Network> => openNetwork(fileURLToPath(new URL(file, folder)))
