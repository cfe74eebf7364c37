"use client";

import { type RefObject, useEffect, useRef, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { controlAria, controlStyle } from "#components/ui/control-style.ts";
import { Field } from "#components/ui/field.tsx";
import { SubmitButton } from "#components/ui/submit-button.tsx";
import { limits } from "#lib/contract/limits.ts";
import { type FieldProblem, useFieldErrors } from "./use-field-errors.ts";

/**
 * A plain form post instead of a server action, so that the size is checked before the file is read, and no JavaScript
 * is needed. JavaScript adds the camera, the preview, and scaling down.
 */
export function PhotoForm({ visitId, problems }: { visitId: string; problems: FieldProblem[] }) {
  const { errorOf, edit } = useFieldErrors(problems);
  const error = errorOf("photo");
  const input = useRef<HTMLInputElement>(null);
  const camera = useRef<HTMLInputElement>(null);
  const { isPreparing, preview, prepare } = usePreparedPhoto(input);
  return (
    <form
      method="post"
      action={`/login/oauth/authorize/${visitId}/document`}
      encType="multipart/form-data"
      onInput={edit}
      className="flex flex-col gap-5"
    >
      <Field
        label="Photo ID"
        htmlFor="photo"
        hint={`JPEG, PNG, or PDF, up to ${limits.photoIdBytesMax / 1024 ** 2} MB`}
        error={error}
      >
        <Button
          variant="secondary"
          className="pointer-fine:hidden noscript:hidden"
          onClick={() => camera.current?.click()}
        >
          Take a photo
        </Button>
        <input
          ref={camera}
          type="file"
          accept="image/*"
          capture="environment"
          hidden
          onChange={({ target }) => prepare(target)}
        />
        <input
          ref={input}
          id="photo"
          name="photo"
          type="file"
          required
          accept="image/jpeg,image/png,application/pdf"
          className={controlStyle}
          onChange={({ target }) => prepare(target)}
          {...controlAria("photo", error !== undefined)}
        />
      </Field>
      {preview ? (
        // biome-ignore lint/performance/noImgElement: it's on this device only
        <img
          src={preview}
          alt="The ID you chose"
          className="max-h-96 w-full rounded-card border border-line object-contain"
        />
      ) : null}
      <p role="status" className="text-sm text-ink-soft empty:hidden">
        {isPreparing ? "Preparing your photo…" : preview ? "Check that every word can be read." : ""}
      </p>
      <SubmitButton size="lg" className="w-full" aria-disabled={isPreparing}>
        Upload
      </SubmitButton>
    </form>
  );
}

/** Scales the chosen picture down, puts it into the submitted input, and makes its preview. */
function usePreparedPhoto(input: RefObject<HTMLInputElement | null>) {
  const newest = useRef<File>(undefined);
  const [isPreparing, setIsPreparing] = useState(false);
  const [preview, setPreview] = useState<string>();
  useEffect(() => () => URL.revokeObjectURL(preview ?? ""), [preview]);

  async function prepare(chosen: HTMLInputElement): Promise<void> {
    const [file] = chosen.files ?? [];
    newest.current = file;
    setPreview(undefined);
    if (!file) return;
    setIsPreparing(true);
    const picture = await scalePhoto(file);
    if (newest.current !== file) return;
    const sent = new DataTransfer();
    sent.items.add(picture ?? file);
    if (input.current) input.current.files = sent.files;
    setPreview(picture && URL.createObjectURL(picture));
    setIsPreparing(false);
  }

  return { isPreparing, preview, prepare };
}

// Enough to read the small print of an ID.
const sideMax = 2400;
const quality = 0.85;

/**
 * A picture as a JPEG of at most 2400 pixels, or unchanged if small enough to upload. Undefined if this browser can't
 * read the file as a picture.
 */
async function scalePhoto(file: File): Promise<File | undefined> {
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
