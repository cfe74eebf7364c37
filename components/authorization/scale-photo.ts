import { limits } from "#lib/contract/limits.ts";

// Enough to read the small print of an ID.
const sideMax = 2400;
const quality = 0.85;

/**
 * A picture as a JPEG of at most 2400 pixels, or unchanged if small enough to upload. Undefined if this browser can't
 * read the file as a picture.
 */
export async function scalePhoto(file: File): Promise<File | undefined> {
  const picture = await createImageBitmap(file).catch(() => undefined);
  if (!picture) return undefined;
  const scale = Math.min(1, sideMax / Math.max(picture.width, picture.height));
  const isAccepted = file.type === "image/jpeg" || file.type === "image/png";
  if (scale === 1 && isAccepted && file.size <= limits.photoIdBytesMax) return file;
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [Math.round(picture.width * scale), Math.round(picture.height * scale)];
  canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  const scaled = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/jpeg", quality));
  return scaled ? new File([scaled], file.name.replace(/(\.\w+)?$/, ".jpg"), { type: "image/jpeg" }) : file;
}
