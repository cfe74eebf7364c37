import { brandName } from "../../../../brand/name.ts";
import type { signUp as english } from "../en/sign-up.ts";
import type { Translation } from "../translation.ts";

export const signUp: Translation<typeof english> = {
  title: `Venda en ${brandName}`,
  pageTitle: "Registro",
  lead: "Crear una cuenta toma un minuto. Configurar los pagos toma dos más.",
  phoneHint:
    "Un número de EE. UU., como (415) 555-0123. Le enviaremos un código por mensaje de texto cada vez que inicie sesión.",
  passwordHint: "Al menos {min} caracteres. Una frase corta es fácil de recordar.",
  submit: "Continuar",
  signIn: "¿Ya tiene una cuenta? <link>Inicie sesión</link>",
};
