// Variations: a picture of our own is drawn anew, in another way; any other is turned, and given other light and colours.
import sharp from 'sharp'
import type { DrawnPicture, PictureSize } from '../../draw.ts'
import { decode } from './pixels/decode.ts'

const looks = [
  { hue: 0, saturation: 1.12, brightness: 1.04, flop: true, zoom: 1 },
  { hue: 18, saturation: 1.05, brightness: 1, flop: false, zoom: 1.08 },
  { hue: -18, saturation: 1.1, brightness: 1.02, flop: true, zoom: 1.12 },
  { hue: 40, saturation: 0.95, brightness: 1.04, flop: false, zoom: 1.04 },
  { hue: -40, saturation: 1, brightness: 0.97, flop: true, zoom: 1.05 },
]

/** Different for each number: from the sixth on, further around the circle of colours. */
export async function varyPixels(
  image: Uint8Array,
  { width, height }: PictureSize,
  number: number,
): Promise<DrawnPicture> {
  const pixels = await decode(image, { width, height }, 'image')
  const look = looks[number % looks.length] ?? looks[0]
  const turns = Math.floor(number / looks.length) * 25
  const { hue = 0, saturation = 1, brightness = 1, flop = false, zoom = 1 } = look ?? {}
  const [inner, tall] = [Math.max(1, Math.round(width / zoom)), Math.max(1, Math.round(height / zoom))]
  const cut = {
    left: Math.floor((width - inner) / 2),
    top: Math.floor((height - tall) / 2),
    width: inner,
    height: tall,
  }
  const turned = sharp(pixels, { raw: { width, height, channels: 4 } })
    .extract(cut)
    .resize(width, height, { fit: 'fill', kernel: 'cubic' })
  const png = await (flop ? turned.flop() : turned)
    .modulate({ hue: (((hue + turns) % 360) + 360) % 360, saturation, brightness })
    .png({ compressionLevel: 5 })
    .toBuffer()
  const told = [
    flop ? 'mirrored' : 'not mirrored',
    zoom > 1 ? 'a little closer' : 'at the same distance',
    'with other colours and light',
  ]
  return { png, revisedPrompt: `A variation of the uploaded picture: ${told.join(', ')}.` }
}
