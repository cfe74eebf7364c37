import { brandName } from "../../../../brand/name.ts";
import type { signIn as english } from "../en/sign-in.ts";
import type { Translation } from "../translation.ts";

export const signIn: Translation<typeof english> = {
  title: "Iniciar sesión",
  lead: "Ingrese su contraseña y le enviaremos un código por mensaje de texto.",
  leadPhoneVerified:
    "Su teléfono está verificado. Ahora ingrese su contraseña y le enviaremos un código por mensaje de texto, como siempre.",
  ended: {
    title: "Su sesión terminó",
    text: "No se envió nada. Inicie sesión otra vez para continuar donde se quedó.",
  },
  noCode: {
    title: "Empiece de nuevo",
    text: "Su inicio de sesión o registro venció, o su navegador bloquea las cookies. Si vuelve a ocurrir, permita las cookies de este sitio.",
  },
  hasAccount: {
    title: "Usted ya tiene una cuenta",
    text: "Su correo electrónico está verificado y pertenece a una cuenta. Inicie sesión con la contraseña de esa cuenta.",
  },
  submit: "Continuar",
  signUp: `¿Es la primera vez que usa ${brandName}? <link>Regístrese</link>`,
  demo: {
    title: "O inicie sesión como usuario de prueba",
    text: "No necesita contraseña. El código llega al teléfono de la barra que está arriba de la página.",
    seller: "{name}, vendedor",
    operator: "{name}, operador",
    pending: "Un momento",
  },
  problems: {
    title: "No pudimos iniciar su sesión",
    noMatch: "El correo electrónico y la contraseña no coinciden. Revíselos e intente de nuevo.",
    waitTitle: "Espere antes de volver a intentarlo",
    waitMinutes: "Hizo demasiados intentos. Vuelva a intentarlo en {count, plural, one {un minuto} other {# minutos}}.",
    waitHours: "Hizo demasiados intentos. Vuelva a intentarlo en {count} horas.",
  },
};
